import type { Static, TObject, TSchema } from 'typebox';
import type { Context } from '#src/domain/context.ts';
import { invalidSession, type OpenSession } from '#src/domain/sessions/index.ts';
import { invalidStaffSession, roles, type StaffSession } from '#src/domain/staff/index.ts';
import type { ModuleName, OpenedKey, Scope } from '#src/domain/tenants/index.ts';
import type { ErrorCode } from './error-codes.ts';
import type { EmailLimitName, Guess, LimitName } from './limits.ts';
import type { Reply } from './reply.ts';
import type { ErrorBody } from './reply-to-error.ts';

/**
 * Who may call a route, and how the tenant is determined:
 *
 *   public         the x-tenant-slug header; with `slugInQuery` also ?tenant=, for senders that cannot set headers; with
 *                  `ownPages` no page of another origin
 *   dual           a key with this scope, or else the header
 *   bearer         a key with this scope, or with one of the others, of which the handler then requires that of what was
 *                  requested; with `staff` also the session cookie of a member whose role has the scope
 *   token          like dual; without either, the token in the query or the body determines the tenant
 *   session        a customer's session, which determines its tenant; if `tenantIdOf` finds another token, that instead
 *   staff          the session cookie of a member of the store's staff, which determines the tenant
 *   inbound        a provider: the slug in the path, a signature that the handler verifies
 */
export type Audience =
  | { readonly kind: 'public'; readonly slugInQuery?: true; readonly ownPages?: true }
  | { readonly kind: 'dual'; readonly scope: Scope }
  | { readonly kind: 'bearer'; readonly scope: Scope; readonly others?: readonly Scope[]; readonly staff?: true }
  | { readonly kind: 'token'; readonly scope: Scope; readonly tenantIdOf: TenantNaming }
  | { readonly kind: 'session'; readonly tenantIdOf?: TenantNaming }
  | { readonly kind: 'staff' }
  | { readonly kind: 'inbound' };

/** What of a request may name its tenant: links in mails and one-click posts send no header. Nothing is checked yet. */
export interface Sent {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The id of the tenant that a request's token determines; `undefined` without one. Throws for an invalid token. */
export type TenantNaming = (sent: Sent) => string | undefined;

export const toPublic: Audience = { kind: 'public' };
export const toPublicByQuery: Audience = { kind: 'public', slugInQuery: true };
export const toOwnPages: Audience = { kind: 'public', ownPages: true };
export const toStaff: Audience = { kind: 'staff' };
export const toCustomers: Audience = { kind: 'session' };
export const toCustomersOrHolders = (tenantIdOf: TenantNaming): Audience => ({ kind: 'session', tenantIdOf });
export const toProviders: Audience = { kind: 'inbound' };
export const toDual = (scope: Scope): Audience => ({ kind: 'dual', scope });
export const toBearer = (scope: Scope): Audience => ({ kind: 'bearer', scope });
export const toBearerOrStaff = (scope: Scope, ...others: readonly Scope[]): Audience => ({
  kind: 'bearer',
  scope,
  ...(others.length > 0 && { others }),
  staff: true,
});
export const toTokenHolders = (scope: Scope, tenantIdOf: TenantNaming): Audience => ({
  kind: 'token',
  scope,
  tenantIdOf,
});

/** The scopes of which a caller needs one: `write` includes `read`, and `admin` its areas. */
export const acceptedScopes = (audience: Extract<Audience, { readonly scope: Scope }>): readonly Scope[] =>
  audience.kind === 'bearer' ? [audience.scope, ...(audience.others ?? [])] : [audience.scope];

/** Who called: the key or the session of a customer or of staff, when one was sent, and the shopper's IP. */
export interface Caller {
  readonly key: OpenedKey | undefined;
  readonly session: OpenSession | undefined;
  readonly staff: StaffSession | undefined;
  /** Unknown where a storefront's server calls, with a secret key, and does not name its shopper (`x-client-ip`). */
  readonly clientIp: string | undefined;
  /** The secret key of a storefront's server: also where the route requires no key, and `key` is missing. */
  readonly server: OpenedKey | undefined;
}

export interface Request<Params, Query, Body> {
  readonly ctx: Context;
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The body's bytes, for `rawBody` routes; empty otherwise. */
  readonly rawBody: Buffer;
  /**
   * The body of a `streamed` route as it arrives, at most `bodyBytesMax` of it.
   * @throws HttpError `payload_too_large`, `unsupported_media_type`, and `invalid_request` if it ends in the middle
   */
  readonly stream: AsyncIterable<Buffer>;
  /**
   * Who calls as of now: while a file arrives, for minutes, they may be signed out, revoked or given another role.
   * @throws DomainError as at the beginning of the request
   */
  callerNow(): Promise<Caller>;
  /**
   * The id that stands for the Idempotency-Key, if one was sent: the same in every attempt of the same request. A
   * handler passes it on to providers, so that a later attempt finds what an earlier one has begun and continues it.
   */
  readonly idempotencyId: string | undefined;
  /** The Idempotency-Key, if one was sent. */
  readonly idempotencyKey: string | undefined;
  /** Whether only headers are requested, as programs do that check links: then nothing may change. */
  readonly isHead: boolean;
  /** A header of the request, by its lower-case name; '' when it was not sent. */
  header(name: string): string;
  /**
   * Do work that may cause an email to an unconfirmed recipient (`emails` of the route). It counts only if the work
   * causes it.
   * @throws DomainError `rate_limited` unless the limit is silent
   */
  limitEmail<Value>(recipient: string, work: EmailWork<Value>): Promise<Value>;
}

/** Work that may cause an email, unless there were too many of them; and whether it did. */
export type EmailWork<Value> = (mayEmail: boolean) => Promise<{ readonly value: Value; readonly causesEmail: boolean }>;

/** How a response may be cached: not at all, or with a revalidation each time. */
export type Caching = 'no-store' | 'revalidate';

/** A page that browsers get in place of the error envelope. */
export interface ErrorPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Route {
  /** Its name in the API document and so in generated clients; `admin.…` for an owner's. Never changes. */
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `:params`, as the router reads it, from the root. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** What the summary does not say, as whole sentences. */
  readonly description?: string;
  readonly audience: Audience;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The handler reads the bytes itself: a signature is over bytes. */
  readonly rawBody?: true;
  /** The handler reads the body as it arrives: a file of these media types, which would not fit into memory. */
  readonly streamed?: readonly string[];
  /** The body may also be an HTML form, as pages and mail programs post them. */
  readonly form?: true;
  /** The JSON may be called text/plain, or nothing: a page that is being left can set no header. */
  readonly plainTextJson?: true;
  /** Browsers get a page in place of the JSON; this one where the request is rejected. */
  readonly errorPage?: (error: ErrorBody) => ErrorPage;
  /** The operation itself rejects text that cannot be stored: in one item, it must not reject the others. */
  readonly checksText?: true;
  readonly bodyBytesMax: number;
  /** An operation of the storefront's side that a closed store has, too. */
  readonly servesClosedStores?: true;
  /** The module that the store must have switched on. */
  readonly module?: ModuleName;
  /** A member of the staff has to have verified their session with the second factor. Keys are not asked for one. */
  readonly verified?: true;
  /** How often it may be called: `limits.ts`. */
  readonly limit?: LimitName;
  /** How many emails it may cause: `limits.ts`. */
  readonly emails?: EmailLimitName;
  readonly guesses?: readonly Guess[];
  /** With this query parameter it is expensive: it yields to other requests (`pace.ts`). */
  readonly expensiveWith?: string;
  /**
   * Honors `Idempotency-Key`.
   *
   *   atomic       the handler's writes and the stored reply are committed together: nothing is ever done twice
   *   resumable    the handler calls a provider, which no transaction may contain; it continues what an earlier attempt
   *                began, which it finds by `idempotencyId`
   *   received     the body is a file, which can be compared only when all of it has arrived: the handler does that,
   *                and has the `idempotencyKey`
   */
  readonly idempotent?: 'atomic' | 'resumable' | 'received';
  /**
   * Without an `Idempotency-Key`, identical requests of the same caller within five seconds are one request, so that a
   * double click creates one object. For operations where the state cannot show that a request is a repetition.
   */
  readonly coalesced?: true;
  /** The error codes of the handler itself, beyond those that follow from the route's other fields. */
  readonly errors?: readonly ErrorCode[];
  readonly caching: Caching;
  /**
   * A hot public read: its response depends on the store, the kind of credential and the URL only, and may be a second
   * old. It is rendered once and cached (`reply-cache.ts`).
   */
  readonly cacheable?: true;
  /** The schema of each successful response's body, by status. */
  readonly responses: Readonly<Record<number, TSchema>>;
  handle(request: Request<never, never, never>): Promise<Reply>;
}

type StaticOf<Schema extends TSchema | undefined> = Schema extends TSchema ? Static<Schema> : undefined;

type RouteDefinition<
  Params extends TObject | undefined,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
> = Omit<Route, 'params' | 'query' | 'body' | 'handle' | 'bodyBytesMax' | 'caching'> & {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyBytesMax?: number;
  readonly caching?: Caching;
  handle(request: Request<StaticOf<Params>, StaticOf<Query>, StaticOf<Body>>): Promise<Reply>;
};

const defaultBodyBytesMax = 64 * 1024;

/** For lists and long texts. */
export const largeBodyBytesMax = 256 * 1024;

/**
 * A route is data: method, path, audience, schemas and a handler. `mountRoutes` authenticates and checks requests in
 * the documented order before the handler runs, and the OpenAPI document is built from the same values.
 */
export function defineRoute<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(definition: RouteDefinition<Params, Query, Body>): Route {
  return { bodyBytesMax: defaultBodyBytesMax, caching: 'no-store', ...definition } as unknown as Route;
}

/**
 * Whether a closed store rejects the requests of a route: those of shoppers and storefronts. Its staff, its owner's
 * systems and its providers still have work to do.
 */
export function needsOpenStore({ audience, servesClosedStores }: Route): boolean {
  if (servesClosedStores || audience.kind === 'staff' || audience.kind === 'inbound') return false;
  return !(audience.kind === 'bearer' && audience.staff) && !(audience.kind === 'public' && audience.ownPages);
}

/** The session of the caller of a route for customers. If another token opened the route, there may be none. */
export function sessionOf({ session }: Caller): OpenSession {
  if (!session) throw invalidSession();
  return session;
}

/** The session of the caller of a route for staff. */
export function staffOf({ staff }: Caller): StaffSession {
  if (!staff) throw invalidStaffSession();
  return staff;
}

/** What a caller of the owner's side may do. */
export function scopesOf({ key, staff }: Caller): readonly Scope[] {
  return key?.scopes ?? (staff ? roles[staff.staff.role] : []);
}
