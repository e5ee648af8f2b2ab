import { hmacSha256, randomText, shortDigest } from '#src/lib/crypto.ts';
import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Line, Nullable, Omittable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Issue } from '#src/lib/validation.ts';

/** The resources that a key can be allowed to read or write. */
const resources = [
  'products',
  'search',
  'inventory',
  'content',
  'storefront',
  'cart',
  'checkout',
  'orders',
  'customers',
  'subscriptions',
  'returns',
  'leads',
  'wholesale',
  'partners',
  'shipping',
  'analytics',
  'integrations',
  'admin',
] as const;

/** The areas of an owner's work. A scope of one is part of the scope `admin`. */
export const adminAreas = [
  'orders',
  'refunds',
  'labels',
  'returns',
  'customers',
  'catalog',
  'content',
  'promotions',
  'webhooks',
  'analytics',
  'settings',
  'staff',
] as const;
export type AdminArea = (typeof adminAreas)[number];

export type Scope = `${(typeof resources)[number] | `admin.${AdminArea}`}:${'read' | 'write'}`;

export const scopes: readonly Scope[] = [...resources, ...adminAreas.map((area) => `admin.${area}` as const)].flatMap(
  (resource) => [`${resource}:read`, `${resource}:write`] as const,
);

/** Every shopper can see a publishable key, so its scopes are limited to what a shopper may do. */
export const publishableScopes: readonly Scope[] = [
  'products:read',
  'search:read',
  'inventory:read',
  'content:read',
  'storefront:read',
  'cart:read',
  'cart:write',
  'checkout:read',
  'checkout:write',
  'leads:read',
  'leads:write',
  'wholesale:read',
  'wholesale:write',
  'partners:read',
  'partners:write',
  'shipping:read',
  'analytics:write',
];

/** The scopes of which a key needs one where this one is required: `write` includes `read`, and `admin` its areas. */
export function sufficientScopes(required: Scope): readonly Scope[] {
  const [resource = '', verb] = required.split(':');
  const verbs = verb === 'read' ? ['read', 'write'] : ['write'];
  const wholes = resource.startsWith('admin.') ? [resource, 'admin'] : [resource];
  return wholes.flatMap((whole) => verbs.map((each) => `${whole}:${each}` as Scope));
}

/** Whether the scopes of a key include the scope that a route requires. */
export function covers(held: readonly Scope[], required: Scope): boolean {
  return sufficientScopes(required).some((scope) => held.includes(scope));
}

export type KeyKind = 'secret' | 'publishable';
type KeyMode = 'test' | 'live';

const randomCharacters = 32;
const checksumCharacters = 6;
const pattern = /^(sk|pk)_(test_)?([0-9a-hjkmnp-tv-z]{32})([0-9a-hjkmnp-tv-z]{6})$/;

/** A new key: a prefix for kind and mode, 160 random bits, and a checksum that detects typing errors. */
export function newKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = `${kind === 'secret' ? 'sk' : 'pk'}_${mode === 'test' ? 'test_' : ''}`;
  const random = randomText(randomCharacters);
  return `${prefix}${random}${shortDigest(prefix + random, checksumCharacters)}`;
}

/** Kind and mode of a key; `undefined` for a mistyped key or another text. Needs no lookup. */
export function parseKey(key: string): { kind: KeyKind; mode: KeyMode } | undefined {
  const match = pattern.exec(key);
  if (!match) return undefined;
  const [, kind, test, , checksum] = match;
  if (shortDigest(key.slice(0, -checksumCharacters), checksumCharacters) !== checksum) return undefined;
  return { kind: kind === 'sk' ? 'secret' : 'publishable', mode: test ? 'test' : 'live' };
}

/** The stored form of a key: without the pepper of this installation, a stolen table is of no use. */
export function hashKey(pepper: Buffer, key: string): Buffer {
  return hmacSha256(pepper, key);
}

/** A name for a pepper, stored beside what is hashed with it. It reveals nothing of the pepper. */
export function idOfPepper(pepper: Buffer): string {
  return hmacSha256(pepper, 'id').toString('hex').slice(0, 8);
}

/** Enough of a key for its owner to recognize it. */
export function hintOf(key: string): string {
  return `${key.slice(0, key.lastIndexOf('_') + 1)}…${key.slice(-4)}`;
}

const Kind = Type.Enum(['secret', 'publishable']);
const Scopes = Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: scopes }), {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  examples: [['products:read', 'cart:write']],
});

/** A key in the store file and in the admin API. */
export const KeyInput = Type.Object({
  /** Unique among the keys of a store that are not revoked. */
  name: Line(100, { examples: ['storefront'] }),
  kind: Kind,
  scopes: Scopes,
  /** From this moment on the key is rejected. */
  expires_at: Omittable({ ...Timestamp, examples: ['2099-12-31T23:59:59.000Z'] }),
  requests_per_minute: Omittable(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      examples: [6000],
      description: "The key's own limit, over all its requests to limited operations. Default: 6,000 for a secret key.",
    }),
  ),
});
export type KeyInput = Static<typeof KeyInput>;

/** A stored key, without its value, which cannot be read again. */
export type ApiKey = Omit<RowOf<typeof ApiKeyView>, 'scopes'> & { readonly scopes: readonly Scope[] };

export const keyColumns = sql`id, name, kind, scopes, hint, requests_per_minute as "requestsPerMinute",
  expires_at as "expiresAt", revoked_at as "revokedAt", created_at as "createdAt"`;

/** The scopes that a publishable key may not have. */
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
  throw invalidRequest('A publishable key may only have scopes that shoppers may use.', ...errors);
}

/** The error for a field of a key. */
export function keyError(path: string, message: string): DomainError {
  return invalidRequest(message, { path, code: 'taken', detail: message });
}

export const ApiKeyView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    kind: Kind,
    scopes: Type.Array(Type.String()),
    /** The prefix and the last characters. */
    hint: Type.String({ examples: ['sk_test_…k7q2'] }),
    /** Null for the default. */
    requests_per_minute: Nullable(Type.Integer({ examples: [6000] })),
    expires_at: Nullable(Timestamp),
    revoked_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'ApiKey' },
);

export function presentKey(key: ApiKey): Static<typeof ApiKeyView> {
  return presentAs(ApiKeyView, key);
}
