import { LRUCache } from 'lru-cache';
import { runOnPlatformTables } from '#src/database/transact.ts';
import { agingBy, type Clock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { DomainError, notFound } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction, PlatformContext } from '../context.ts';
import { hashKey, type KeyKind, parseKey, type Scope } from './api-key.ts';
import type { Tenant } from './tenant.ts';

/** Finds tenants, cached for a moment: a change is visible in every process within `tenantsFreshForMs`. */
export interface TenantDirectory {
  bySlug(slug: string): Promise<Tenant | undefined>;
  byId(id: string): Promise<Tenant | undefined>;
}

const tenantsFreshForMs = seconds(1);

export function createTenantDirectory(ctx: PlatformContext): TenantDirectory {
  const bySlug = cachedBy(ctx.clock, (slug) => findTenant(ctx, sql`slug = ${slug}`));
  const byId = cachedBy(ctx.clock, (id) => findTenant(ctx, sql`id = ${id}`));
  return {
    bySlug: async (slug) => (await bySlug.fetch(slug))?.tenant,
    byId: async (id) => (await byId.fetch(id))?.tenant,
  };
}

/** An object, so that the absence of a tenant is cached, too. */
type Found = { tenant: Tenant | undefined };

function cachedBy(clock: Clock, fetch: (key: string) => Promise<Tenant | undefined>): LRUCache<string, Found> {
  return new LRUCache({
    max: 10_000,
    ttl: tenantsFreshForMs,
    ...agingBy(clock),
    fetchMethod: async (key) => ({ tenant: await fetch(key) }),
  });
}

/** The tenant that fulfils a condition on the columns of `tenants`. One that was removed is not found. */
export async function findTenant(ctx: PlatformContext, condition: Sql): Promise<Tenant | undefined> {
  const [tenant] = await runOnPlatformTables<Tenant>(
    ctx,
    sql`select ${tenantColumns} from tenants where ${condition} and removed_at is null`,
  );
  return tenant;
}

/**
 * The condition that the context's store was not removed, and is not before this transaction ends. What is accepted in
 * the moment of a removal is then either counted by it or rejected. It does not wait for changes of the store's settings.
 */
export const isNotRemoved = ({ tenant }: Pick<Context, 'tenant'>): Sql => sql`
  exists (select from tenants where id = ${tenant.id} and removed_at is null for key share)`;

/** The same for a transaction. @throws DomainError `not_found` when the store was removed */
export async function rejectIfRemoved(ctx: InTransaction): Promise<void> {
  const [row] = await ctx.tx.execute(sql`select where ${isNotRemoved(ctx)}`);
  if (!row) throw notFound('store');
}

/** The columns of a `Tenant`, named after its fields. */
const tenantColumns = sql`id, slug, name, owner_email as "ownerEmail", currency, locale, timezone,
  storefront_url as "storefrontUrl", magic_link_path as "magicLinkPath", restore_path as "restorePath",
  allowed_origins as "allowedOrigins", requests_per_second as "requestsPerSecond",
  refund_verification_above_cents as "refundVerificationAboveCents",
  mail_from as "mailFrom", theme, links, modules, closed_at as "closedAt", version`;

/** Every store of this installation by its slug, for the command line. */
export async function listTenants(ctx: PlatformContext): Promise<Tenant[]> {
  return runOnPlatformTables<Tenant>(
    ctx,
    sql`select ${tenantColumns} from tenants where removed_at is null order by slug`,
  );
}

/** A valid key. */
export interface OpenedKey {
  readonly id: string;
  readonly tenantId: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  /** The key's own limit; null for the default. */
  readonly requestsPerMinute: number | null;
}

export interface KeyDirectory {
  /**
   * The key behind these characters.
   * @throws DomainError `invalid_key`, `wrong_environment`, `revoked_key` or `expired_key`, all unauthenticated.
   */
  open(characters: string): Promise<OpenedKey>;
}

interface StoredKey extends OpenedKey {
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A revoked key stops working in every process within this time, or a second later for cached responses. */
const keysFreshForMs = seconds(3);

export function createKeyDirectory(ctx: PlatformContext): KeyDirectory {
  const keys = new LRUCache<string, { key: StoredKey | undefined }>({
    max: 10_000,
    ttl: keysFreshForMs,
    ...agingBy(ctx.clock),
    fetchMethod: async (hash) => ({ key: await find(ctx, Buffer.from(hash, 'base64')) }),
  });

  return {
    async open(characters) {
      const claimed = parseKey(characters);
      if (!claimed) throw reject('invalid_key', 'This is not a key: a character is missing or wrong.');
      if (claimed.mode !== ctx.settings.appMode) {
        throw reject(
          'wrong_environment',
          `This is a ${claimed.mode} key, and here is the ${ctx.settings.appMode} environment.`,
        );
      }
      const found = await keys.fetch(hashKey(ctx.settings.keyPepper, characters).toString('base64'));
      if (!found?.key) throw reject('invalid_key', 'Unknown key.');
      const { expiresAt, revokedAt, ...key } = found.key;
      if (revokedAt) throw reject('revoked_key', 'This key was revoked.');
      if (expiresAt && expiresAt <= ctx.clock.now()) throw reject('expired_key', 'This key has expired.');
      return key;
    },
  };
}

async function find(ctx: PlatformContext, hash: Buffer): Promise<StoredKey | undefined> {
  const [key] = await runOnPlatformTables<StoredKey>(
    ctx,
    sql`
    select id, tenant_id as "tenantId", kind, scopes, requests_per_minute as "requestsPerMinute",
      expires_at as "expiresAt", revoked_at as "revokedAt"
    from api_keys where hash = ${hash}`,
  );
  return key;
}

const reject = (code: string, detail: string) => new DomainError('unauthenticated', code, detail);
