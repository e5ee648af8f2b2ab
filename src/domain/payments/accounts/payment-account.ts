import { defineEntity, p } from '@mikro-orm/core';
import { LRUCache } from 'lru-cache';
import { read, readOne } from '#src/database/transact.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { Duration, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { sealedColumn } from '../../sealed-column.ts';

/** How long a session lives: within the provider's bounds, with room for differing clocks and for a repair. */
export const sessionLifetime = {
  defaultMs: minutes(60),
  minMs: minutes(35),
  maxMs: minutes(23 * 60),
  /** In local mode, so that a developer can watch a session expire. */
  localMinMs: seconds(1),
};

/** The `payments` section of a store file, and the body of PUT /admin/providers/payments. */
export const PaymentAccountInput = Type.Object({
  provider: Type.Literal('stripe'),
  mode: Type.Enum(['direct', 'connect'], {
    default: 'direct',
    description:
      "Only `direct`, with the store's own keys, can sell. " +
      'With `connect` no keys are stored, and checkout returns 503.',
  }),
  account_id: Omittable(Text(100, { examples: ['acct_1Qx'] })),
  secret_key: Omittable(Text(500)),
  publishable_key: Omittable(Text(500)),
  webhook_secret: Omittable(Text(500, { description: 'The signing secret of the endpoint at the provider.' })),
  session_lifetime: Omittable(Duration),
  automatic_tax: Type.Boolean({ default: false }),
});
export type PaymentAccountInput = Static<typeof PaymentAccountInput>;

export const PaymentAccountEntity = defineEntity({
  name: 'PaymentAccount',
  tableName: 'payment_accounts',
  properties: {
    tenantId: p.string().primary(),
    mode: p.enum(['direct', 'connect']),
    accountId: p.string().nullable(),
    secretKeySealed: p.string().nullable(),
    publishableKey: p.string().nullable(),
    sessionLifetimeMs: p.bigint('number'),
    automaticTax: p.boolean(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** The columns of `payment_accounts` that opening the account needs. */
export interface StoredAccount {
  /** `null` where the store has none. */
  readonly mode: 'direct' | 'connect' | null;
  readonly secretKeySealed: string | null;
}

/**
 * The store's account at the payment provider, opened for one use.
 * @throws DomainError unavailable `payment_provider_not_configured`
 */
export async function openAccount(ctx: Context): Promise<PaymentAccount> {
  const stored = await readOne<StoredAccount>(
    ctx,
    sql`
    select mode, secret_key_sealed as "secretKeySealed" from payment_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  return unseal(ctx, stored);
}

/** Only `direct` mode can sell: in `connect` mode the store has no key of its own on file. */
export function unseal(ctx: Context, stored: StoredAccount | undefined): PaymentAccount {
  if (stored?.mode !== 'direct' || !stored.secretKeySealed) throw notConfigured();
  return {
    tenantId: ctx.tenant.id,
    secretKey: ctx.keyring.open(ctx.tenant.id, sealedFields.secretKey, stored.secretKeySealed),
  };
}

/** The field that each sealed value is bound to, beside its tenant. */
export const sealedFields = { secretKey: 'payments.secret_key', webhookSecret: 'payments.webhook_secret' } as const;

export const paymentSealedColumns = [
  sealedColumn('payment_accounts', 'secret_key_sealed', sealedFields.secretKey, { idColumn: 'tenant_id' }),
  sealedColumn('payment_webhook_secrets', 'secret_sealed', sealedFields.webhookSecret),
];

const noKey = () =>
  new Error('It has no Stripe secret key: set `payments.secret_key`, with `mode: direct`, in its store file.');

export function notConfigured(cause: unknown = noKey()): DomainError {
  return new DomainError(
    'unavailable',
    'payment_provider_not_configured',
    'This store cannot take payments at the moment.',
    { cause },
  );
}

/** The publishable key as a subquery for another statement; null where the store has none. */
export const publishableKeyOf = (ctx: Context): Sql => sql`
  (select publishable_key from payment_accounts where tenant_id = ${ctx.tenant.id})`;

/** Where the provider delivers the store's events. */
export const webhookUrlOf = ({ settings, tenant }: Context): string =>
  `${settings.publicUrl}/api/webhooks/stripe/${tenant.slug}`;

/** How long a caller waits for the payment provider in all, however many calls its request takes. */
const callerDeadlineMs = seconds(17);

/** When the time of a caller who begins to wait now is over, as of `performance.now()`. */
export const deadlineAt = (): number => performance.now() + callerDeadlineMs;

/** The account with the deadline of a caller who waits: all calls with it share that deadline. */
export const whileCallerWaits = (account: PaymentAccount): PaymentAccount => ({ ...account, endsAt: deadlineAt() });

/** For a few seconds only: a burst of deliveries does not read and open the same secrets each time. */
const cache = new LRUCache<string, readonly string[], Context>({
  max: 2000,
  ttl: seconds(5),
  fetchMethod: (_tenantId, _stale, { context }) => readSecrets(context),
});

/** Every signing secret that is accepted now. `fresh` skips the cache: a rotation may have just happened. */
export async function liveWebhookSecrets(ctx: Context, { fresh = false } = {}): Promise<readonly string[]> {
  return (await cache.fetch(ctx.tenant.id, { context: ctx, forceRefresh: fresh })) ?? [];
}

/** The condition that a secret of `payment_webhook_secrets` is accepted now. */
export const isLiveSecret = ({ clock }: Context): Sql => sql`
  (state = 'current' or (state = 'retiring' and retires_at > ${clock.now()}))`;

async function readSecrets(ctx: Context): Promise<readonly string[]> {
  const rows = await read<{ sealed: string }>(
    ctx,
    sql`
    select secret_sealed as sealed from payment_webhook_secrets
    where tenant_id = ${ctx.tenant.id} and ${isLiveSecret(ctx)} order by created_at desc`,
  );
  // One that retires may have been sealed by a key that was lost, and replaced because of that.
  return rows
    .filter(({ sealed }) => ctx.keyring.knows(sealed))
    .map(({ sealed }) => ctx.keyring.open(ctx.tenant.id, sealedFields.webhookSecret, sealed));
}
