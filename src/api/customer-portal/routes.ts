import { defineRoute, largeBodyBytesMax, sessionOf, toCustomers, toPublic } from '#src/api/lib/define-route.ts';
import { errorsOfPayments } from '#src/api/lib/documented-errors.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import { findOrder, OrderView } from '#src/domain/orders/index.ts';
import {
  CancelInput,
  cancelOwnSubscription,
  listOwnOrders,
  listOwnReturns,
  listOwnSubscriptions,
  PortalView,
  readPortal,
} from '#src/domain/portal/index.ts';
import { OwnReturnInput, presentReturn, ReturnView, requestReturn } from '#src/domain/returns/index.ts';
import { pathOnStorefront, requestLink } from '#src/domain/sessions/index.ts';
import { SubscriptionView } from '#src/domain/subscriptions/index.ts';
import { clientNetworkOf } from '#src/lib/network-of.ts';
import { Done, Email, Id, Omittable, PageOf, PageQuery, Type } from '#src/lib/schema.ts';

const own = { tag: 'customer-portal', audience: toCustomers, module: 'customer_accounts' } as const;
const Page = Type.Object(PageQuery);

export const postPortal = defineRoute({
  operationId: 'requestCustomerPortalLink',
  method: 'post',
  path: '/api/v1/customer-portal',
  tag: 'customer-portal',
  summary: 'Email a sign-in link to a customer. The response does not reveal whether the email is known.',
  audience: toPublic,
  emails: 'links',
  body: Type.Object({
    customer_email: Email,
    return_url: Omittable(
      Type.String({
        maxLength: 2048,
        examples: ['https://shop.example.com/account'],
        description: 'The page of the storefront to continue on. A URL outside the storefront is ignored.',
      }),
    ),
  }),
  responses: { 200: Done },
  async handle({ ctx, caller, body, limitEmail }) {
    return limitEmail(body.customer_email, async (mayEmail) => {
      const link = {
        email: body.customer_email,
        redirectPath: pathOnStorefront(ctx.tenant, body.return_url),
        codeChallenge: null,
        clientNetwork: caller.clientIp && clientNetworkOf(caller.clientIp),
      };
      if (mayEmail) await requestLink(ctx, link);
      return { value: ok({ ok: true }), causesEmail: true };
    });
  },
});

export const getPortal = defineRoute({
  ...own,
  operationId: 'getCustomerPortal',
  method: 'get',
  path: '/api/v1/customer-portal',
  summary: 'Read the latest orders, subscriptions and returns of the signed-in customer.',
  limit: 'reads',
  responses: { 200: PortalView },
  async handle({ ctx, caller }) {
    return ok(await readPortal(ctx, sessionOf(caller).customer));
  },
});

export const getOwnOrders = defineRoute({
  ...own,
  operationId: 'listCustomerOrders',
  method: 'get',
  path: '/api/v1/customer-portal/orders',
  summary: 'List the orders of the signed-in customer, newest first.',
  limit: 'reads',
  query: Page,
  responses: { 200: PageOf('orders', OrderView) },
  async handle({ ctx, caller, query }) {
    const page = await listOwnOrders(ctx, sessionOf(caller).customer, query);
    return ok({ orders: page.rows, cursor: page.cursor });
  },
});

export const getOwnOrder = defineRoute({
  ...own,
  operationId: 'getCustomerOrder',
  method: 'get',
  path: '/api/v1/customer-portal/orders/:id',
  summary: 'Read an order of the signed-in customer.',
  limit: 'reads',
  params: Type.Object({ id: Id('ord') }),
  responses: { 200: Type.Object({ order: OrderView }) },
  async handle({ ctx, caller, params }) {
    return ok({ order: await findOrder(ctx, { id: params.id, email: sessionOf(caller).customer.email }) });
  },
});

export const getOwnSubscriptions = defineRoute({
  ...own,
  operationId: 'listCustomerSubscriptions',
  method: 'get',
  path: '/api/v1/customer-portal/subscriptions',
  summary: 'List the subscriptions of the signed-in customer, newest first.',
  limit: 'reads',
  query: Page,
  responses: { 200: PageOf('subscriptions', SubscriptionView) },
  async handle({ ctx, caller, query }) {
    const page = await listOwnSubscriptions(ctx, sessionOf(caller).customer, query);
    return ok({ subscriptions: page.rows, cursor: page.cursor });
  },
});

export const getOwnReturns = defineRoute({
  ...own,
  operationId: 'listCustomerReturns',
  method: 'get',
  path: '/api/v1/customer-portal/returns',
  summary: 'List the returns of the signed-in customer, newest first.',
  limit: 'reads',
  query: Page,
  responses: { 200: PageOf('returns', ReturnView) },
  async handle({ ctx, caller, query }) {
    const page = await listOwnReturns(ctx, sessionOf(caller).customer, query);
    return ok({ returns: page.rows, cursor: page.cursor });
  },
});

export const postOwnCancellation = defineRoute({
  ...own,
  operationId: 'cancelSubscription',
  method: 'post',
  path: '/api/v1/customer-portal/cancel',
  summary: 'Cancel a subscription of the signed-in customer, at the end of the paid period or at once.',
  limit: 'account',
  body: CancelInput,
  errors: ['not_found', 'subscription_canceled', ...errorsOfPayments],
  responses: { 200: Type.Object({ subscription: SubscriptionView }) },
  async handle({ ctx, caller, body }) {
    return ok({ subscription: await cancelOwnSubscription(ctx, sessionOf(caller).customer, body) });
  },
});

export const postOwnReturn = defineRoute({
  ...own,
  operationId: 'createCustomerReturn',
  method: 'post',
  path: '/api/v1/customer-portal/returns',
  summary: 'Request a return for an order of the signed-in customer.',
  limit: 'returns',
  idempotent: 'atomic',
  body: OwnReturnInput,
  bodyBytesMax: largeBodyBytesMax,
  errors: ['not_found', 'return_not_allowed'],
  responses: { 201: Type.Object({ return: ReturnView }) },
  async handle({ ctx, caller, body: { order_number: orderNumber, items } }) {
    const { email } = sessionOf(caller).customer;
    return created({ return: presentReturn(await requestReturn(ctx, { orderNumber, email, items })) });
  },
});
