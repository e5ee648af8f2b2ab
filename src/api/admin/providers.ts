import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { auditedSave, ExpectedVersion } from '#src/domain/audit/index.ts';
import { Confirmation, changeCredentials } from '#src/domain/confirmations/index.ts';
import type { Context } from '#src/domain/context.ts';
import {
  checkPaymentAccount,
  PaymentAccountInput,
  PaymentAccountView,
  paymentCredentials,
  presentPaymentAccount,
  readPaymentAccount,
  rejectPendingTax,
  savePaymentAccount,
} from '#src/domain/payments/index.ts';
import {
  checkSecondShippingAccount,
  checkShippingAccount,
  issuesOfShipping,
  presentSecondShippingAccount,
  presentShippingAccount,
  readSecondShippingAccount,
  readShippingAccount,
  SecondShippingAccountInput,
  SecondShippingAccountView,
  ShippingAccountChange,
  ShippingAccountView,
  saveSecondShippingAccount,
  saveShippingAccount,
  secondShippingCredentials,
  shippingCredentials,
} from '#src/domain/shipping/index.ts';
import { rejectIssues } from '#src/lib/errors.ts';
import { Nullable, Omittable, Type } from '#src/lib/schema.ts';
import { owning, reading } from './audience.ts';

/** Stored credentials are replaced only with the owner's one-time password. */
const confirmation = Omittable(
  Type.Object(Confirmation.properties, {
    description:
      'The one-time password with which the owner confirms that stored credentials are replaced or removed: ' +
      'the id from …/confirmations, and the code from the email. Not needed by a member of the staff, whose session ' +
      'is verified.',
  }),
);

async function viewPayments(ctx: Context) {
  const account = await readPaymentAccount(ctx);
  return account && presentPaymentAccount(ctx, account);
}

async function viewShipping(ctx: Context) {
  const account = await readShippingAccount(ctx);
  return account && presentShippingAccount(account);
}

async function viewSecondShipping(ctx: Context) {
  const account = await readSecondShippingAccount(ctx);
  return account && presentSecondShippingAccount(account);
}

export const getProviders = defineRoute({
  ...reading('settings'),
  operationId: 'admin.getProviders',
  method: 'get',
  path: '/api/v1/admin/providers',
  summary: "Read the store's accounts at its providers, without their secrets.",
  responses: {
    200: Type.Object({
      providers: Type.Object({
        payments: Nullable(PaymentAccountView),
        shipping: Nullable(ShippingAccountView),
        second_shipping: Nullable(SecondShippingAccountView),
      }),
    }),
  },
  async handle({ ctx }) {
    const views = [viewPayments(ctx), viewShipping(ctx), viewSecondShipping(ctx)] as const;
    const [payments = null, shipping = null, second_shipping = null] = await Promise.all(views);
    return ok({ providers: { payments, shipping, second_shipping } });
  },
});

export const putPayments = defineRoute({
  ...owning,
  operationId: 'admin.savePaymentProvider',
  method: 'put',
  path: '/api/v1/admin/providers/payments',
  summary: 'Save the account at the payment provider. Omitted secrets do not change; null removes the key.',
  body: Type.Object({ ...PaymentAccountInput.properties, confirmation }),
  errors: ['confirmation_required'],
  responses: { 200: Type.Object({ provider: PaymentAccountView }) },
  async handle({ ctx, body: { confirmation, ...account } }) {
    await rejectPendingTax(ctx, account);
    const { view } = await changeCredentials(ctx, paymentCredentials(account), confirmation, (ctx) =>
      auditedSave(ctx, {
        kind: 'provider',
        name: 'payments',
        view: viewPayments,
        change: (ctx) => savePaymentAccount(ctx, account, { retainKey: true }),
      }),
    );
    return ok({ provider: view });
  },
});

/** The audit log stores no postal address: it lists the origin's field name only. */
const withoutOrigin = ({ origin: _, ...view }: NonNullable<Awaited<ReturnType<typeof viewShipping>>>) => view;

export const putShipping = defineRoute({
  ...owning,
  operationId: 'admin.saveShippingProvider',
  method: 'put',
  path: '/api/v1/admin/providers/shipping',
  summary: 'Save the account at the parcel provider and the shipping terms. Omitted secrets do not change.',
  body: Type.Object({ ...ShippingAccountChange.properties, version: ExpectedVersion, confirmation }),
  errors: ['confirmation_required', 'version_conflict'],
  responses: { 200: Type.Object({ provider: ShippingAccountView }) },
  async handle({ ctx, body: { confirmation, version, ...account } }) {
    rejectIssues(issuesOfShipping(account));
    const { view } = await changeCredentials(ctx, shippingCredentials(account), confirmation, (ctx) =>
      auditedSave(
        ctx,
        {
          kind: 'provider',
          name: 'shipping',
          view: viewShipping,
          logged: withoutOrigin,
          change: (ctx) => saveShippingAccount(ctx, account, { retainSecrets: true }),
        },
        { version },
      ),
    );
    return ok({ provider: view });
  },
});

export const putSecondShipping = defineRoute({
  ...owning,
  operationId: 'admin.saveSecondShippingProvider',
  method: 'put',
  path: '/api/v1/admin/providers/second-shipping',
  summary: 'Save the account at the second parcel provider. It is stored and checked, and not used for labels.',
  body: Type.Object({ ...SecondShippingAccountInput.properties, confirmation }),
  errors: ['confirmation_required'],
  responses: { 200: Type.Object({ provider: SecondShippingAccountView }) },
  async handle({ ctx, body: { confirmation, ...account } }) {
    const { view } = await changeCredentials(ctx, secondShippingCredentials(account), confirmation, (ctx) =>
      auditedSave(ctx, {
        kind: 'provider',
        name: 'second-shipping',
        view: viewSecondShipping,
        change: (ctx) => saveSecondShippingAccount(ctx, account),
      }),
    );
    return ok({ provider: view });
  },
});

const checks = {
  payments: checkPaymentAccount,
  shipping: checkShippingAccount,
  'second-shipping': checkSecondShippingAccount,
};

export const postCheck = defineRoute({
  ...owning,
  operationId: 'admin.checkProvider',
  method: 'post',
  path: '/api/v1/admin/providers/:kind/check',
  summary: 'Check whether the stored key opens the account at a provider.',
  params: Type.Object({ kind: Type.Enum(['payments', 'shipping', 'second-shipping']) }),
  responses: {
    200: Type.Object({ ok: Type.Boolean(), detail: Type.String({ examples: ['The provider accepts the key.'] }) }),
  },
  async handle({ ctx, params: { kind } }) {
    return ok(await checks[kind](ctx));
  },
});
