import type { Tenant } from '#src/domain/tenants/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';

/** A store with every module switched on, named so that no other test's is like it. */
export async function buildTenant(services: Services, given: Partial<Tenant> = {}): Promise<Tenant> {
  const id = newId('ten');
  const slug = `shop-${randomText(8)}`;
  const modules = { customer_accounts: true, subscriptions: true, gift_cards: true, reviews: true };
  const tenant: Tenant = {
    id,
    slug,
    name: `Shop ${slug}`,
    ownerEmail: `owner@${slug}.example`,
    currency: 'USD',
    locale: 'en-US',
    timezone: 'America/New_York',
    storefrontUrl: `https://${slug}.example`,
    magicLinkPath: '/account/sign-in',
    restorePath: '/cart/restore',
    allowedOrigins: ['*'],
    requestsPerSecond: null,
    refundVerificationAboveCents: 20_000,
    mailFrom: null,
    theme: {},
    links: {},
    modules,
    closedAt: null,
    version: 1,
    ...given,
  };
  const now = services.clock.now();
  await services.execute(sql`
    insert into tenants (id, slug, name, owner_email, currency, locale, timezone, storefront_url, magic_link_path,
      restore_path, allowed_origins, requests_per_second, refund_verification_above_cents, mail_from, theme, links, modules,
      session_secret_sealed, session_secret_number, version, created_at, updated_at)
    values (${tenant.id}, ${tenant.slug}, ${tenant.name}, ${tenant.ownerEmail}, ${tenant.currency}, ${tenant.locale},
      ${tenant.timezone}, ${tenant.storefrontUrl}, ${tenant.magicLinkPath}, ${tenant.restorePath},
      ${JSON.stringify(tenant.allowedOrigins)}, ${tenant.requestsPerSecond}, ${tenant.refundVerificationAboveCents}, ${tenant.mailFrom},
      ${JSON.stringify(tenant.theme)}, ${JSON.stringify(tenant.links)}, ${JSON.stringify(tenant.modules)},
      ${services.context().keyring.seal(tenant.id, 'session_secret', randomText(48))}, 1, 1, ${now}, ${now})`);
  return tenant;
}
