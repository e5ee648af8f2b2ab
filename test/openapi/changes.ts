import { compareOpenApi } from 'api-smart-diff';

import type { OpenApiDocument, Operation } from '#src/api/openapi/document.ts';
import { sufficientScopes } from '#src/domain/tenants/api-key.ts';
import type { Scope } from '#src/domain/tenants/index.ts';

/** What differs between two versions of the API document, at one operation or event. */
export interface Change {
  /** The operation's id, or the event's type. */
  readonly name: string;
  /** For people: what was added, removed or replaced, and where. */
  readonly text: string;
  /** Whether a client that was made of the former version can fail. */
  readonly isBreaking: boolean;
}

/** What the library lets a response replace, although clients rely on it. */
const irreplaceable: ReadonlySet<string> = new Set(['operationId', 'type', 'const', 'format']);

/** Where a response is that `default` describes, too. */
const isErrorStatus = /^responses\/[45]\d\d$/;

/** The changes that callers can notice, in the order of the document. */
export function changesBetween(before: OpenApiDocument, after: OpenApiDocument): Change[] {
  return [...changesOfCallers(before, after), ...changesOfMessages(before, after)];
}

/** Who may no longer call an operation, and who may from now on. */
function changesOfCallers(before: OpenApiDocument, after: OpenApiDocument): Change[] {
  const known = callersOf(before);
  return [...callersOf(after)].flatMap(([name, callers]) => {
    const former = known.get(name) ?? callers;
    const change = (action: string, isBreaking: boolean) => (caller: string) => ({
      name,
      text: `${action} caller ${caller}`,
      isBreaking,
    });
    return [
      ...[...former].filter((caller) => !callers.has(caller)).map(change('remove', true)),
      ...[...callers].filter((caller) => !former.has(caller)).map(change('add', false)),
    ];
  });
}

/** By operation id: each scope that is sufficient, `session`, and `anonymous`. */
function callersOf({ paths }: OpenApiDocument): ReadonlyMap<string, ReadonlySet<string>> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return new Map(
    operations.map(({ operationId, security = [], 'x-scopes': scopes = [] }) => {
      const others = security.flatMap((way) => (way['key'] ? [] : (Object.keys(way)[0] ?? 'anonymous')));
      return [operationId, new Set([...scopes.flatMap((scope) => sufficientScopes(scope as Scope)), ...others])];
    }),
  );
}

function changesOfMessages(before: OpenApiDocument, after: OpenApiDocument): Change[] {
  // The comparison fills in defaults, in place.
  const [left, right] = [comparable(structuredClone(before)), comparable(structuredClone(after))];
  return compareOpenApi(left, right).diffs.flatMap(({ path, type, action }) => {
    const [part, place, method, ...rest] = path.map(String);
    if (part !== 'paths' || place === undefined || rest[0] === 'security' || rest[0] === 'x-scopes') return [];
    // A document without an operation has no name for it.
    const operation = operationAt(left, place, method) ?? operationAt(right, place, method);
    return {
      name: operation?.operationId ?? place,
      text: `${action} ${rest.join('/') || `${method ?? ''} ${place}`.trim()}`,
      isBreaking:
        (type === 'breaking' || (action === 'replace' && irreplaceable.has(rest.at(-1) ?? ''))) &&
        !(isErrorStatus.test(rest.join('/')) && operationAt(right, place, method)?.responses['default']),
    };
  });
}

/**
 * The events of a version are compared like responses of operations: both are what a client reads. The server's URL
 * is another in each environment.
 */
function comparable({ webhooks, servers: _servers, ...document }: OpenApiDocument) {
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const received = { 200: { description: post.summary, content: post.requestBody?.content ?? {} } };
    return [`/${type}`, { get: { operationId: type, responses: received } }] as const;
  });
  return { ...document, paths: { ...document.paths, ...Object.fromEntries(events) } };
}

function operationAt({ paths }: ReturnType<typeof comparable>, place: string, method = '') {
  const methods: Readonly<Record<string, Pick<Operation, 'operationId' | 'responses'>>> | undefined = paths[place];
  return methods?.[method];
}

/** The breaking ones that the changelog does not name, in backquotes, among what changed or was removed. */
export function unannounced(changes: readonly Change[], changelog: string): Change[] {
  const [, unreleased = ''] = changelog.split(/^## /m).slice(0, 2);
  const sections = unreleased.split(/^### /m).filter((section) => /^(?:Changed|Removed)\n/.test(section));
  return changes.filter(
    ({ name, isBreaking }) => isBreaking && !sections.some((section) => section.includes(`\`${name}\``)),
  );
}
