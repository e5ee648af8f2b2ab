import { readSender } from '#src/lib/email-address.ts';
import { found, rejectIssues } from '#src/lib/errors.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Cents, Currency, Email, FreeForm, Nullable, Slug, type Static, Type, Url } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Change } from '../change.ts';
import { issue } from '../checks.ts';
import type { Context, InTransaction } from '../context.ts';
import { findTenant } from './directories.ts';
import { StoreInput, saveTenant } from './save-tenant.ts';
import type { Tenant } from './tenant.ts';

/** Operators set these: the owner's email gets one-time passwords, and the others cannot change or limit the store. */
const {
  slug: _slug,
  owner_email: _email,
  currency: _currency,
  requests_per_second: _limit,
  ...own
} = StoreInput.properties;

/** What owners change of their store. What is left out has its default. */
export const StoreSettingsInput = Type.Object(own);
export type StoreSettingsInput = Static<typeof StoreSettingsInput>;

export const StoreSettingsView = Type.Object(
  {
    slug: Slug,
    name: Type.String({ examples: ['Cedar & Clay'] }),
    owner_email: Email,
    currency: Currency,
    locale: Type.String({ examples: ['en-US'] }),
    timezone: Type.String({ examples: ['America/New_York'] }),
    storefront_url: Url,
    magic_link_path: Type.String({ examples: ['/account/sign-in'] }),
    restore_path: Type.String({ examples: ['/cart/restore'] }),
    allowed_origins: Type.Array(Type.String({ examples: ['*'] })),
    refund_verification_above_cents: Cents,
    mail_from: Nullable(Type.String({ examples: ['Cedar & Clay <hello@cedar.example>'] })),
    theme: FreeForm,
    links: FreeForm,
    version: Type.Integer({ examples: [1] }),
  },
  { title: 'StoreSettings' },
);
export type StoreSettingsView = Static<typeof StoreSettingsView>;

/** The store as it is now, and not as it was cached. */
export const readStore = async (ctx: Context): Promise<Tenant> =>
  found(await findTenant(ctx, sql`id = ${ctx.tenant.id}`), 'store');

/**
 * Save the settings of the context's store.
 * @throws DomainError `invalid_request` for a sender with another address
 */
export async function saveStoreSettings(ctx: InTransaction, input: StoreSettingsInput): Promise<Change> {
  const { slug, ownerEmail, currency, requestsPerSecond, mailFrom } = await readStore(ctx);
  rejectOtherSender(mailFrom, input.mail_from);
  const fixed = { slug, owner_email: ownerEmail, currency, requests_per_second: requestsPerSecond ?? null };
  return (await saveTenant(ctx, { ...input, ...fixed })).change;
}

/** All stores send through one mail server, which may send for the addresses of each: operators say whose they are. */
function rejectOtherSender(known: string | null | undefined, wanted: string | null | undefined): void {
  if (!wanted || (known && readSender(known).address === readSender(wanted).address)) return;
  const detail = known
    ? 'must keep its address, which operators set; the name may change'
    : 'can only be set by operators; ask them';
  rejectIssues([issue('/mail_from', detail)]);
}

/** A store in the words of its file. */
export function presentStore(tenant: Tenant): StoreSettingsView {
  return presentAs(StoreSettingsView, tenant);
}
