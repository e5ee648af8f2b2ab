import { assignChanges } from '#src/lib/assign-changes.ts';
import { randomText } from '#src/lib/crypto.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import {
  Cents,
  Currency,
  Email,
  FreeFormInput,
  Line,
  Omittable,
  Slug,
  type Static,
  Text,
  Type,
  Url,
} from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { normalizeUrl } from '#src/lib/url.ts';
import type { Change } from '../change.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import { findTenant } from './directories.ts';
import { sealSessionSecret } from './session-secret.ts';
import { initialModules, type Modules, moduleNames, type Tenant } from './tenant.ts';

const Origin = Type.String({
  pattern: '^(\\*|https?://[^/\\s]+)$',
  maxLength: 300,
  examples: ['https://shop.example.com'],
});
const Path = Type.String({ pattern: '^/[^?#\\s]*$', maxLength: 500, examples: ['/account'] });

/** A store as its file describes it. What is left out has its default. */
export const StoreInput = Type.Object({
  /** Identifies the store in requests. It never changes: another slug is another store. */
  slug: Slug,
  name: Line(200, { examples: ['Cedar & Clay'] }),
  owner_email: Email,
  /** The currency of every price. It cannot change after the first order or gift card. */
  currency: Currency,
  locale: Type.Optional(Text(35, { default: 'en-US' })),
  timezone: Type.Optional(Text(64, { default: 'UTC', examples: ['America/New_York'] })),
  /** The storefront to which links in emails lead. */
  storefront_url: Url,
  magic_link_path: Type.Optional(Type.Unsafe<string>({ ...Path, default: '/account/sign-in' })),
  restore_path: Type.Optional(Type.Unsafe<string>({ ...Path, default: '/cart/restore' })),
  /** The origins whose pages may call the service: `*` is any. */
  allowed_origins: Type.Optional(Type.Array(Origin, { maxItems: 100, uniqueItems: true, default: ['*'] })),
  /**
   * How many requests per second the store accepts for each operation without a tighter limit: checkout, saved carts,
   * the billing portal. Default 500. One client gets half of it, at most 30.
   */
  requests_per_second: Omittable(Type.Integer({ minimum: 10, maximum: 100_000, examples: [500] })),
  /**
   * What one member of the staff may refund within a day without their second factor: beyond it each refund needs it.
   * 0: always.
   */
  refund_verification_above_cents: Type.Optional(Type.Integer({ ...Cents, default: 20_000, examples: [20_000] })),
  /** `Name <email>` or an email, which only operators set. Default: MAIL_FROM. */
  mail_from: Omittable(Text(300)),
  /** Passed to the storefront as it is. */
  theme: Type.Optional(FreeFormInput()),
  links: Type.Optional(FreeFormInput()),
});
export type StoreInput = Static<typeof StoreInput>;

/** Modules to switch on or off. Others stay as they are. A new store has all of them on except customer accounts. */
export const ModulesInput = Type.Object(
  Object.fromEntries(moduleNames.map((name) => [name, Type.Optional(Type.Boolean())])),
);
export type ModulesInput = Partial<Record<(typeof moduleNames)[number], boolean>>;

/**
 * Create the store with this slug, or update it. A new one has the default modules and a secret of its own. Concurrent
 * saves of the same store wait for each other; checkouts do not wait.
 * @throws DomainError `invalid_request` when the currency would change although the store has orders or gift cards
 */
export async function saveTenant(
  ctx: InTransaction<PlatformContext>,
  input: StoreInput,
): Promise<{ tenant: Tenant; change: Change }> {
  const { slug } = input;
  const subject = `store ${slug}`;
  await lockStore(ctx, slug);
  const known = await findTenant(ctx, sql`slug = ${slug}`);
  const wanted = completeStore(input);
  if (!known) {
    const tenant = { id: newId('ten'), slug, ...wanted, modules: initialModules, closedAt: null, version: 1 };
    await rejectWhileRemoved(ctx, slug);
    await insertTenant(ctx, tenant);
    return { tenant, change: { subject, action: 'created', fields: [] } };
  }
  const tenant = { ...known };
  const values = assignChanges(tenant, wanted);
  const fields = Object.keys(values);
  if (fields.length === 0) return { tenant: known, change: { subject, action: 'unchanged', fields } };
  if (fields.includes('currency')) await rejectWithMoney(ctx, known);
  return { tenant: await updateTenant(ctx, tenant), change: { subject, action: 'updated', fields, values } };
}

/** Changes of the store with this slug wait for each other, whether it exists or not. */
export async function lockStore(ctx: InTransaction<PlatformContext>, slug: string): Promise<void> {
  await ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`store ${slug}`}, 0))`);
}

/** The slug of a removed store is free when the last of its rows is deleted. */
async function rejectWhileRemoved(ctx: InTransaction<PlatformContext>, slug: string): Promise<void> {
  const removed = await ctx.tx.execute(sql`select from tenants where slug = ${slug}`);
  if (removed.length === 0) return;
  throw invalidRequest('The store with this slug was removed, and its data is being deleted.', {
    path: '/slug',
    code: 'taken',
    detail: 'is that of a store that was removed, whose data is being deleted: try again in two hours',
  });
}

type StoreFields = Omit<Tenant, 'id' | 'slug' | 'modules' | 'closedAt' | 'version'>;

function completeStore(input: StoreInput): StoreFields {
  return {
    name: input.name,
    ownerEmail: normaliseEmail(input.owner_email),
    currency: input.currency,
    locale: input.locale ?? 'en-US',
    timezone: input.timezone ?? 'UTC',
    storefrontUrl: normalizeUrl(input.storefront_url).replace(/\/$/, ''),
    magicLinkPath: input.magic_link_path ?? '/account/sign-in',
    restorePath: input.restore_path ?? '/cart/restore',
    allowedOrigins: (input.allowed_origins ?? ['*']).map(normalizeOrigin),
    requestsPerSecond: input.requests_per_second ?? null,
    refundVerificationAboveCents: input.refund_verification_above_cents ?? 20_000,
    mailFrom: input.mail_from ?? null,
    theme: input.theme ?? {},
    links: input.links ?? {},
  };
}

/** As browsers write it in the Origin header: an international host in punycode, without the scheme's default port. */
const normalizeOrigin = (origin: string) => (URL.canParse(origin) ? new URL(origin).origin : origin);

async function insertTenant(ctx: InTransaction<PlatformContext>, tenant: Tenant): Promise<void> {
  const now = ctx.clock.now();
  await ctx.tx.execute(sql`
    insert into tenants (id, slug, name, owner_email, currency, locale, timezone, storefront_url, magic_link_path,
      restore_path, allowed_origins, requests_per_second, refund_verification_above_cents, mail_from, theme, links,
      modules, session_secret_sealed, session_secret_number, version, created_at, updated_at)
    values (${tenant.id}, ${tenant.slug}, ${tenant.name}, ${tenant.ownerEmail}, ${tenant.currency}, ${tenant.locale},
      ${tenant.timezone}, ${tenant.storefrontUrl}, ${tenant.magicLinkPath}, ${tenant.restorePath},
      ${JSON.stringify(tenant.allowedOrigins)}, ${tenant.requestsPerSecond}, ${tenant.refundVerificationAboveCents},
      ${tenant.mailFrom}, ${JSON.stringify(tenant.theme)}, ${JSON.stringify(tenant.links)}, ${JSON.stringify(tenant.modules)},
      ${sealSessionSecret(ctx, tenant.id, randomText(48))}, 1, ${tenant.version}, ${now}, ${now})`);
}

async function updateTenant(ctx: InTransaction<PlatformContext>, tenant: Tenant): Promise<Tenant> {
  const [saved] = await ctx.tx.execute<{ version: number }>(sql`
    update tenants set name = ${tenant.name}, owner_email = ${tenant.ownerEmail}, currency = ${tenant.currency},
      locale = ${tenant.locale}, timezone = ${tenant.timezone}, storefront_url = ${tenant.storefrontUrl},
      magic_link_path = ${tenant.magicLinkPath}, restore_path = ${tenant.restorePath},
      allowed_origins = ${JSON.stringify(tenant.allowedOrigins)}, requests_per_second = ${tenant.requestsPerSecond},
      refund_verification_above_cents = ${tenant.refundVerificationAboveCents}, mail_from = ${tenant.mailFrom},
      theme = ${JSON.stringify(tenant.theme)}, links = ${JSON.stringify(tenant.links)},
      version = version + 1, updated_at = ${ctx.clock.now()}
    where id = ${tenant.id}
    returning version`);
  return { ...tenant, version: saved?.version ?? tenant.version };
}

/** A store's revenue could not be added up in two currencies, and a gift card is redeemed in its own only. */
async function rejectWithMoney(ctx: InTransaction<PlatformContext>, { id, currency }: Tenant): Promise<void> {
  const [row] = await ctx.tx.execute<{ ordered: boolean; issued: boolean }>(sql`
    select exists (select from order_numbers where tenant_id = ${id})
      or exists (select from orders where tenant_id = ${id}) as ordered,
      exists (select from gift_cards where tenant_id = ${id}) as issued`);
  if (!row?.ordered && !row?.issued) return;
  throw invalidRequest('A store that has orders or gift cards keeps its currency.', {
    path: '/currency',
    code: 'const',
    detail: `must stay ${currency}: the store has ${row.ordered ? 'orders' : 'gift cards'} in it`,
  });
}

/** Switch modules of a store on or off. Others stay as they are. Only operators do this. */
export async function setModules(ctx: InTransaction, input: ModulesInput): Promise<Change> {
  const [store] = await ctx.tx.execute<{ modules: Modules }>(
    sql`select modules from tenants where id = ${ctx.tenant.id}`,
  );
  const fields = moduleNames.filter((name) => input[name] !== undefined && input[name] !== store?.modules[name]);
  if (fields.length > 0) {
    await ctx.tx.execute(sql`
      update tenants set modules = modules || ${JSON.stringify(input)}::jsonb, version = version + 1,
        updated_at = ${ctx.clock.now()}
      where id = ${ctx.tenant.id}`);
  }
  const values = Object.fromEntries(fields.map((name) => [name, [store?.modules[name], input[name]] as const]));
  return {
    subject: `modules of ${ctx.tenant.slug}`,
    action: fields.length > 0 ? 'updated' : 'unchanged',
    fields,
    values,
  };
}
