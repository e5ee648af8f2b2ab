import { isUtf8 } from 'node:buffer';
import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';

import { composed } from '#src/lib/composed.ts';
import type { Issue } from '#src/lib/validation.ts';
import { hideReferences, resolveReferences, showReferences } from './references.ts';

/** Something that is wrong with a store file, and where. Lines and columns count from 1. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  /** The field, as it is reached: `products[3].variants[0].price_cents`. '' for the file as a whole. */
  readonly field: string;
  readonly detail: string;
}

/** A store file as it was read. */
export interface StoreFileText {
  /** The value that it holds, with references to the environment resolved. */
  readonly value: unknown;
  /** The errors of its syntax and its references. */
  readonly problems: readonly Problem[];
  /** The place of an issue in the file. `undefined` if a reference without a value explains it already. */
  locate(issue: Pick<Issue, 'path' | 'detail'>): Problem | undefined;
}

/** Where a file stops being UTF-8: names with other letters would be damaged. */
export function findDamage(file: Buffer): Problem | undefined {
  let start = 0;
  for (let line = 1; start < file.length; line += 1) {
    const end = file.indexOf('\n', start);
    const bytes = file.subarray(start, end < 0 ? file.length : end);
    if (!isUtf8(bytes)) {
      const column = bytes.toString().indexOf('\ufffd') + 1;
      return { line, column, field: '', detail: 'is not UTF-8: save the file in that encoding' };
    }
    start += bytes.length + 1;
  }
  return undefined;
}

/** Few lines of aliases of aliases would otherwise be a value without an end. */
const aliasesMax = 100;

/** The parser's own message names a function to call. */
const anotherDocument = 'begins another document: a file holds one store, so put what follows --- in a file of its own';

/**
 * Read YAML, or JSON, which is YAML too. Its characters are composed, as those of requests are. Secrets stay in the
 * environment: `${NAME}` is its variable NAME.
 */
export function readStoreFile(text: string, environment: Readonly<Record<string, string | undefined>>): StoreFileText {
  const lines = new LineCounter();
  const document = parseDocument(hideReferences(composed(text)), {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
  });
  const problemAt = (offset: number, field: string, detail: string): Problem => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, field, detail: showReferences(detail) };
  };
  const rejected = (problems: Problem[]) => ({ value: undefined, problems, locate: () => undefined });
  const syntax = relevantErrors(document).map(({ pos, code, message }) =>
    problemAt(pos[0], '', code === 'MULTIPLE_DOCS' ? anotherDocument : message),
  );
  if (syntax.length > 0) return rejected(syntax);
  const { aliases, broken } = readAliases(document);
  if (broken.length > 0) return rejected(broken.map(({ alias, detail }) => problemAt(startOf(alias), '', detail)));
  const unmergeable = findUnmergeable(document);
  if (unmergeable) return rejected([problemAt(startOf(unmergeable), '', '<< merges maps, by their aliases')]);

  const missing: { offset: number; name: string }[] = [];
  visit(document, {
    Scalar(key, node) {
      if (typeof node.value !== 'string') return;
      node.value =
        key === 'key'
          ? showReferences(node.value)
          : resolveReferences(node.value, (name) => {
              const value = environment[name];
              if (!value) missing.push({ offset: startOf(node), name });
              return value ?? '';
            });
    },
  });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: aliasesMax });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const detail = `an anchor may be repeated at most ${aliasesMax} times, counting the aliases inside of it`;
    return rejected([problemAt(startOf(aliases.at(-1)), '', detail)]);
  }
  return {
    value,
    problems: missing.map(({ offset, name }) => problemAt(offset, '', `needs the variable ${name}, which is not set`)),
    locate({ path, detail }) {
      const segments = path
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      const place = placeOf(document, segments);
      const isExplained = missing.some(({ offset }) => offset === place.value);
      return isExplained ? undefined : problemAt(place.key, fieldOf(segments), detail);
    },
  };
}

/** After a tab or an unexpected token the parser also reports all tokens that follow, which is not useful. */
function relevantErrors({ errors }: Document): Document['errors'] {
  const tabs = errors.filter(({ code }) => code === 'TAB_AS_INDENT');
  if (tabs.length > 0) return tabs;
  const astray = errors.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN');
  return astray === -1 ? errors : errors.slice(0, astray + 1);
}

/** All aliases, and those that repeat nothing or themselves. */
function readAliases(document: Document): { aliases: Alias[]; broken: { alias: Alias; detail: string }[] } {
  const anchors = new Map<string, unknown>();
  const aliases: Alias[] = [];
  const broken: { alias: Alias; detail: string }[] = [];
  visit(document, {
    Value(_key, node) {
      if (node.anchor) anchors.set(node.anchor, node);
    },
    Alias(_key, alias, ancestors) {
      aliases.push(alias);
      const target = anchors.get(alias.source);
      const name = alias.source;
      if (!target) {
        const detail = `there is no anchor &${name} before the alias *${name}: quote it if it is a text`;
        broken.push({ alias, detail });
      } else if (ancestors.some((ancestor) => ancestor === target)) {
        broken.push({ alias, detail: `the alias *${name} is inside of what it repeats` });
      }
    },
  });
  return { aliases, broken };
}

/** What a merge key names that is not a map. */
function findUnmergeable(document: Document): unknown {
  let found: unknown;
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || typeof key.value !== 'symbol') return;
      const resolve = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
      const sources = isSeq(value) ? value.items : [value];
      found ??= sources.find((source) => !isMap(resolve(source)));
    },
  });
  return found;
}

/** The offsets of a field's name and of its value; of the nearest thing around it where it is not there. */
function placeOf(document: Document, segments: readonly string[]): { key: number; value: number } {
  let node: unknown = document.contents;
  let place = { key: startOf(node), value: startOf(node) };
  for (const segment of segments) {
    const target = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(target)
      ? target.items.find(({ key }) => isScalar(key) && String(key.value) === segment)
      : undefined;
    node = isSeq(target) ? target.items[Number(segment)] : pair?.value;
    if (node === undefined || node === null) return place;
    place = { key: startOf(pair?.key ?? node), value: startOf(node) };
  }
  return place;
}

function startOf(node: unknown): number {
  const range = typeof node === 'object' && node && 'range' in node ? node.range : undefined;
  return Array.isArray(range) ? Number(range[0]) : 0;
}

function fieldOf(segments: readonly string[]): string {
  return segments
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment}`))
    .join('')
    .replace(/^\./, '');
}
