import { defineEntity, p } from '@mikro-orm/core';
import { minutes, seconds } from '#src/lib/duration.ts';
import { Duration, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
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
      "Only `direct`, with the store's own keys, can sell. With `connect` no keys are stored, and checkout returns 503.",
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

/** The field that each sealed value is bound to, beside its tenant. */
export const sealedFields = { secretKey: 'payments.secret_key', webhookSecret: 'payments.webhook_secret' } as const;

export const paymentSealedColumns = [
  sealedColumn('payment_accounts', 'secret_key_sealed', sealedFields.secretKey, { idColumn: 'tenant_id' }),
  sealedColumn('payment_webhook_secrets', 'secret_sealed', sealedFields.webhookSecret),
];
