import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import { Nullable, Omittable, type Static, Text, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Issue } from '#src/lib/validation.ts';
import type { KeyKind } from './api-key-format.ts';
import { publishableScopes, type Scope, scopes } from './scopes.ts';

const Kind = Type.Enum(['secret', 'publishable']);
const Scopes = Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: scopes }), {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  examples: [['products:read', 'cart:write']],
});

/** A key as the store file and the owner's side write it. */
export const KeyInput = Type.Object({
  /** What the owner calls it by: unique among the keys of a store that were not revoked. */
  name: Text(100, { examples: ['storefront'] }),
  kind: Kind,
  scopes: Scopes,
  /** From this moment on the key is refused. */
  expires_at: Omittable(Timestamp),
  requests_per_minute: Omittable(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      examples: [6000],
      description: "The key's own limit, over all its requests to limited operations. Default: 6000 for a secret key.",
    }),
  ),
});
export type KeyInput = Static<typeof KeyInput>;

/** A key as it is kept: everything but its characters, which nobody can read again. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  /** The prefix and the last characters. */
  readonly hint: string;
  /** Null where the default holds. */
  readonly requestsPerMinute: number | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
}

export const keyColumns = sql`id, name, kind, scopes, hint, requests_per_minute as "requestsPerMinute", expires_at as "expiresAt", revoked_at as "revokedAt",
  created_at as "createdAt"`;

/** What is wrong with a key beyond its shape: what every shopper can read may not do more than a shopper may. */
export function issuesOfKey({ kind, scopes }: { kind: KeyKind; scopes: readonly Scope[] }): Issue[] {
  if (kind === 'secret') return [];
  return scopes.flatMap((scope, index) =>
    publishableScopes.includes(scope)
      ? []
      : [{ path: `/scopes/${index}`, code: 'publishable', detail: `may not be held by a publishable key: ${scope}` }],
  );
}

/** @throws DomainError `invalid_request` with what `issuesOfKey` finds */
export function rejectWideKey(key: { kind: KeyKind; scopes: readonly Scope[] }): void {
  const errors = issuesOfKey(key);
  if (errors.length === 0) return;
  throw invalidRequest('A publishable key may hold no more than a shopper may do.', ...errors);
}

/** The refusal of one field of a key. */
export function rejectKey(path: string, sentence: string): DomainError {
  return invalidRequest(sentence, { path, code: 'taken', detail: sentence });
}

export const ApiKeyView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    kind: Kind,
    scopes: Type.Array(Type.String()),
    hint: Type.String({ examples: ['sk_test_…k7q2'] }),
    requests_per_minute: Nullable(Type.Integer({ examples: [6000] })),
    expires_at: Nullable(Timestamp),
    revoked_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'ApiKey' },
);

export function presentKey(key: ApiKey): Static<typeof ApiKeyView> {
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    scopes: [...key.scopes],
    hint: key.hint,
    requests_per_minute: key.requestsPerMinute,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
  };
}
