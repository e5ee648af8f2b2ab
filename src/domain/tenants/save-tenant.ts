import { assignChanges, changedValues } from '#src/lib/assign-changes.ts';
import { randomText } from '#src/lib/crypto.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { normalizeUrl } from '#src/lib/url.ts';
import type { Change } from '../change.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import { sealSessionSecret } from './session-secret.ts';
import type { ModulesInput, StoreInput } from './store-input.ts';
import { initialModules, type Modules, moduleNames, type Tenant } from './tenant.ts';
import { findTenant } from './tenant-directory.ts';

/**
 * Create the store with this slug, or bring it into line with its input. A new one has every module switched off and
 * a secret of its own. Whoever else saves this store waits until the transaction is over; whoever buys in it does not.
 * @throws DomainError `invalid_request` when the currency would change after something was ordered
 */
export async function saveTenant(
  ctx: InTransaction<PlatformContext>,
  input: StoreInput,
): Promise<{ tenant: Tenant; change: Change }> {
  const { slug } = input;
  const subject = `store ${slug}`;
  await ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`);
  const known = await findTenant(ctx, sql`slug = ${slug}`);
  const wanted = completeStore(input);
  if (!known) {
    const tenant = { id: newId('ten'), slug, ...wanted, modules: initialModules, version: 1 };
    await insertTenant(ctx, tenant);
    return { tenant, change: { subject, action: 'created', fields: [] } };
  }
  const tenant = { ...known };
  const values = changedValues(tenant, wanted);
  const fields = assignChanges(tenant, wanted);
  if (fields.length === 0) return { tenant: known, change: { subject, action: 'unchanged', fields } };
  if (fields.includes('currency')) await rejectOnceSold(ctx, known);
  return { tenant: await updateTenant(ctx, tenant), change: { subject, action: 'updated', fields, values } };
}

type Wanted = Omit<Tenant, 'id' | 'slug' | 'modules' | 'version'>;

function completeStore(input: StoreInput): Wanted {
  return {
    name: input.name,
    ownerEmail: input.owner_email.trim().toLowerCase(),
    currency: input.currency,
    locale: input.locale ?? 'en-US',
    timezone: input.timezone ?? 'UTC',
    storefrontUrl: normalizeUrl(input.storefront_url).replace(/\/$/, ''),
    magicLinkPath: input.magic_link_path ?? '/account/sign-in',
    restorePath: input.restore_path ?? '/cart/restore',
    allowedOrigins: (input.allowed_origins ?? ['*']).map(normalizeOrigin),
    requestsPerSecond: input.requests_per_second ?? null,
    mailFrom: input.mail_from ?? null,
    theme: input.theme ?? {},
    links: input.links ?? {},
  };
}

/** As browsers name it in the Origin header: an international host in punycode, without the scheme's usual port. */
const normalizeOrigin = (origin: string) => (URL.canParse(origin) ? new URL(origin).origin : origin);

async function insertTenant(ctx: InTransaction<PlatformContext>, tenant: Tenant): Promise<void> {
  const now = ctx.clock.now();
  await ctx.tx.execute(sql`
    insert into tenants (id, slug, name, owner_email, currency, locale, timezone, storefront_url, magic_link_path,
      restore_path, allowed_origins, requests_per_second, mail_from, theme, links, modules, session_secret_sealed, session_secret_number,
      version, created_at, updated_at)
    values (${tenant.id}, ${tenant.slug}, ${tenant.name}, ${tenant.ownerEmail}, ${tenant.currency}, ${tenant.locale},
      ${tenant.timezone}, ${tenant.storefrontUrl}, ${tenant.magicLinkPath}, ${tenant.restorePath},
      ${JSON.stringify(tenant.allowedOrigins)}, ${tenant.requestsPerSecond}, ${tenant.mailFrom}, ${JSON.stringify(tenant.theme)},
      ${JSON.stringify(tenant.links)}, ${JSON.stringify(tenant.modules)},
      ${sealSessionSecret(ctx, tenant.id, randomText(48))}, 1, ${tenant.version}, ${now}, ${now})`);
}

async function updateTenant(ctx: InTransaction<PlatformContext>, tenant: Tenant): Promise<Tenant> {
  const [saved] = await ctx.tx.execute<{ version: number }>(sql`
    update tenants set name = ${tenant.name}, owner_email = ${tenant.ownerEmail}, currency = ${tenant.currency},
      locale = ${tenant.locale}, timezone = ${tenant.timezone}, storefront_url = ${tenant.storefrontUrl},
      magic_link_path = ${tenant.magicLinkPath}, restore_path = ${tenant.restorePath},
      allowed_origins = ${JSON.stringify(tenant.allowedOrigins)}, requests_per_second = ${tenant.requestsPerSecond},
      mail_from = ${tenant.mailFrom},
      theme = ${JSON.stringify(tenant.theme)}, links = ${JSON.stringify(tenant.links)},
      version = version + 1, updated_at = ${ctx.clock.now()}
    where id = ${tenant.id}
    returning version`);
  return { ...tenant, version: saved?.version ?? tenant.version };
}

/** Amounts of two currencies in one store's ledger could not be added up. */
async function rejectOnceSold(ctx: InTransaction<PlatformContext>, { id, currency }: Tenant): Promise<void> {
  const [row] = await ctx.tx.execute<{ sold: boolean }>(sql`
    select exists (select from order_numbers where tenant_id = ${id}) as sold`);
  if (!row?.sold) return;
  throw invalidRequest('A store that has sold something keeps its currency.', {
    path: '/currency',
    code: 'const',
    detail: `must stay ${currency}: something was ordered in it`,
  });
}

/** Switch modules of a store on or off; those that are not named stay as they are. Operators alone do this. */
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
