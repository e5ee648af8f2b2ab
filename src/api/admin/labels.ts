import { defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import type { Context } from '#src/domain/context.ts';
import {
  chooseRate,
  LabelView,
  labelStates,
  linkToLabelFile,
  listLabels,
  presentRate,
  quoteOrder,
  RateView,
  readLabel,
  readLabelOfOrder,
  reasonCodes,
  requestLabelAgain,
  retryLabel,
  voidLabel,
} from '#src/domain/shipping/index.ts';
import { found } from '#src/lib/errors.ts';
import { Id, Nullable, Omittable, PageOf, PageQuery, Text, Type, Url } from '#src/lib/schema.ts';
import { reading, searched, writing } from './audience.ts';

const OfOrder = Type.Object({ id: Id('ord') });
const Named = Type.Object({ id: Id('lbl') });
const LabelResponse = Type.Object({ label: LabelView });

export const getLabels = defineRoute({
  ...reading('labels'),
  operationId: 'admin.listLabels',
  method: 'get',
  path: '/api/v1/admin/labels',
  summary: 'List labels, newest first. `?state=needs_attention` lists those that need attention.',
  description: searched('labels'),
  query: Type.Object({
    state: Type.Optional(Type.Enum([...labelStates])),
    reason_code: Type.Optional(Type.Enum([...reasonCodes])),
    ...PageQuery,
  }),
  responses: { 200: PageOf('labels', LabelView) },
  async handle({ ctx, query: { reason_code: reasonCode, ...query } }) {
    const { rows, cursor } = await listLabels(ctx, { ...query, reasonCode });
    return ok({ labels: rows, cursor });
  },
});

export const getRates = defineRoute({
  ...reading('labels'),
  operationId: 'admin.quoteOrderRates',
  method: 'get',
  path: '/api/v1/admin/orders/:id/rates',
  summary: 'Quote the rates of an order, also to other countries, the cheapest first.',
  params: OfOrder,
  errors: ['order_not_shippable', 'shipping_provider_unavailable'],
  responses: { 200: Type.Object({ rates: Type.Array(RateView), cheapest_rate_id: Nullable(Type.String()) }) },
  async handle({ ctx, params }) {
    const rates = await quoteOrder(ctx, { orderId: params.id });
    return ok({ rates: rates.map(presentRate), cheapest_rate_id: rates[0]?.id ?? null });
  },
});

export const postLabel = defineRoute({
  ...writing('labels'),
  operationId: 'admin.buyLabel',
  method: 'post',
  path: '/api/v1/admin/orders/:id/label',
  idempotent: 'resumable',
  summary: 'Buy a label, also to other countries: at a rate, even above the cost cap, or at the cheapest.',
  params: OfOrder,
  body: Type.Object({ rate_id: Omittable(Text(200, { examples: ['rate_1Qx'] })) }),
  errors: [
    'label_purchased',
    'label_in_progress',
    'label_outcome_unknown',
    'order_shipped',
    'order_not_shippable',
    'shipping_provider_unavailable',
  ],
  responses: { 202: LabelResponse },
  async handle({ ctx, params: { id: orderId }, body: { rate_id: rateId } }) {
    await (rateId ? chooseRate(ctx, { orderId, rateId }) : requestLabelAgain(ctx, { orderId }));
    return accepted({ label: found(await readLabelOfOrder(ctx, orderId), 'label') });
  },
});

export const getLabelFile = defineRoute({
  ...reading('labels'),
  operationId: 'admin.getLabelFile',
  method: 'get',
  path: '/api/v1/admin/labels/:id/file',
  summary: "Read a link to a label's PDF that is valid now. An earlier `label_url` may have expired.",
  description: 'A label that was not bought, or is void or being voided, has none: 404 `not_found`.',
  params: Named,
  responses: { 200: Type.Object({ url: Url }) },
  async handle({ ctx, params }) {
    return ok({ url: await linkToLabelFile(ctx, { labelId: params.id }) });
  },
});

export const postLabelRetry = defineRoute({
  ...writing('labels'),
  operationId: 'admin.retryLabel',
  method: 'post',
  path: '/api/v1/admin/labels/:id/retry',
  idempotent: 'resumable',
  summary:
    'Retry a label with a fresh quote, also to other countries. A purchase whose outcome is unknown is looked up first.',
  params: Named,
  errors: ['label_purchased', 'label_in_progress', 'order_shipped', 'order_not_shippable'],
  responses: { 202: LabelResponse },
  async handle({ ctx, params }) {
    await retryLabel(ctx, { labelId: params.id });
    return accepted({ label: await labelOf(ctx, params.id) });
  },
});

export const postLabelVoid = defineRoute({
  ...writing('labels'),
  operationId: 'admin.voidLabel',
  method: 'post',
  path: '/api/v1/admin/labels/:id/void',
  idempotent: 'resumable',
  summary: 'Void a label and refund its price. The order then has no label.',
  params: Named,
  errors: ['label_in_progress', 'label_outcome_unknown', 'label_not_voidable', 'shipping_provider_unavailable'],
  responses: { 200: LabelResponse },
  async handle({ ctx, params }) {
    await voidLabel(ctx, { labelId: params.id });
    return ok({ label: await labelOf(ctx, params.id) });
  },
});

const labelOf = async (ctx: Context, id: string) => found(await readLabel(ctx, id), 'label');
