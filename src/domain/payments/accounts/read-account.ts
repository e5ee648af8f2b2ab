import { readOne } from '#src/database/transact.ts';
import { formatDuration } from '#src/lib/duration.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Duration, Nullable, type Static, Timestamp, Type, Url } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import { webhookUrlOf } from './payment-account.ts';

/** The store's account at the payment provider as its owner sees it, without secrets. */
export type ManagedPaymentAccount = Omit<
  RowOf<typeof PaymentAccountView>,
  'provider' | 'webhookUrl' | 'webhooksSilentSince' | 'sessionLifetime'
> & {
  readonly sessionLifetimeMs: number;
  /** Since when sweeps find events that no webhook delivered. */
  readonly silentSince: Date | null;
};

/** @returns `undefined` where the store has none */
export async function readPaymentAccount(ctx: Context): Promise<ManagedPaymentAccount | undefined> {
  return readOne<ManagedPaymentAccount>(
    ctx,
    sql`
    select a.mode, a.account_id as "accountId", a.publishable_key as "publishableKey",
      a.secret_key_sealed is not null as "hasSecretKey", exists (
        select from payment_webhook_secrets s
        where s.tenant_id = ${ctx.tenant.id} and s.state = 'current') as "hasWebhookSecret",
      a.session_lifetime_ms as "sessionLifetimeMs", a.automatic_tax as "automaticTax", a.silent_since as "silentSince",
      a.version, a.created_at as "createdAt", a.updated_at as "updatedAt"
    from payment_accounts a where a.tenant_id = ${ctx.tenant.id}`,
  );
}

export const PaymentAccountView = Type.Object(
  {
    provider: Type.Literal('stripe'),
    mode: Type.Enum(['direct', 'connect']),
    account_id: Nullable(Type.String({ examples: ['acct_1Qx'] })),
    publishable_key: Nullable(Type.String({ examples: ['pk_test_1Qx'] })),
    has_secret_key: Type.Boolean(),
    has_webhook_secret: Type.Boolean(),
    /** Where the provider delivers its events. */
    webhook_url: Url,
    /** Since when webhooks do not arrive; null while they do. */
    webhooks_silent_since: Nullable(Timestamp),
    session_lifetime: Duration,
    automatic_tax: Type.Boolean(),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'PaymentAccount' },
);

export function presentPaymentAccount(ctx: Context, account: ManagedPaymentAccount): Static<typeof PaymentAccountView> {
  return presentAs(PaymentAccountView, {
    ...account,
    provider: 'stripe',
    webhookUrl: webhookUrlOf(ctx),
    webhooksSilentSince: account.silentSince,
    sessionLifetime: formatDuration(account.sessionLifetimeMs),
  });
}
