import { stripTypeScriptTypes } from 'node:module';

import { type Node, parse } from 'acorn';

import { sources } from './sources.ts';

/** A regular expression of the product, and where it stands. */
export interface Pattern {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

/**
 * Every pattern in the product's files: literals, and texts that become one, which are called a pattern. Simulators of
 * providers, which a developer's machine alone runs, and the console, which a browser runs, are no part of it.
 */
export const patterns: readonly Pattern[] = sources
  .filter(({ path }) => !/^(src\/(dev|console)|migrations)\//.test(path))
  .flatMap(({ path, text }) => {
    const program = parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module' });
    return patternsIn(program).map((pattern) => ({ path, ...pattern }));
  });

/** The fields of acorn's nodes that may be a pattern or a call that creates one. */
interface Written extends Node {
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
  readonly key?: { readonly name?: string };
  readonly id?: { readonly name?: string };
  readonly init?: Written;
}

function patternsIn(value: unknown): Omit<Pattern, 'path'>[] {
  if (Array.isArray(value)) return value.flatMap(patternsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { type, regex, key, id, init, value: held } = value as Written;
  const name = key?.name ?? id?.name ?? '';
  const source = /pattern$/i.test(name) ? textOf(type === 'Property' ? (held as Written) : init) : undefined;
  return [
    ...(regex ? [{ source: regex.pattern, flags: regex.flags }] : []),
    ...(source === undefined ? [] : [{ source, flags: 'u' }]),
    ...Object.values(value).flatMap(patternsIn),
  ];
}

/** A text as it is written, with a letter for each inserted expression. */
function textOf(node: Written | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node?.quasis?.map(({ value }) => value.cooked).join('x');
}
