import type { Context } from '#src/domain/context.ts';
import {
  type DeliveryQuery,
  type DeliveryRecord,
  deliveryStates,
  listDeliveries,
  presentAttempt,
  presentDelivery,
  readDelivery,
  recoverDeliveries,
  redeliver,
  WebhookDeliveryView,
} from '#src/domain/webhooks/index.ts';
import { found } from '#src/lib/errors.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { Type } from '#src/lib/schema.ts';
import { table } from '../lib/columns.ts';
import { defineCommand } from '../lib/command.ts';
import { readInput, readNumber, readSince, readUntil, timeHelp } from '../lib/read-option.ts';
import { withStore } from '../lib/with-services.ts';

const Filter = Type.Object({
  state: Type.Optional(Type.Enum([...deliveryStates])),
  type: Type.Optional(WebhookDeliveryView.properties.type),
  limit: Type.Integer({ minimum: 1, maximum: 1000 }),
});

export const listDeliveriesCommand = defineCommand({
  name: 'webhooks:deliveries',
  summary: 'List the deliveries of a webhook endpoint, newest first.',
  parameters: { slug: 'The slug of the store.', endpoint: 'The id of the endpoint: whe_…' },
  options: {
    state: { type: 'string', value: deliveryStates.join('|'), description: 'Only deliveries in this state.' },
    type: { type: 'string', value: 'event', description: 'Only deliveries of this event type: order.paid …' },
    since: { type: 'string', value: 'time', description: `Only deliveries since this time. ${timeHelp}` },
    limit: { type: 'string', value: 'n', description: 'Maximum number. Default: 50.' },
  },
  async run({ parameters: { slug, endpoint: endpointId }, options: { state, type, since, limit }, terminal }) {
    const filter = readInput('webhooks:deliveries', Filter, {
      ...(state !== undefined && { state }),
      ...(type !== undefined && { type }),
      limit: readNumber(limit ?? '50'),
    });
    const rows = await withStore(terminal, slug, (ctx) =>
      readDeliveries(ctx, {
        ...filter,
        endpointId,
        since: since === undefined ? undefined : readSince(ctx.clock, '--since', since),
      }),
    );
    const deliveries = rows.map(presentDelivery);
    const cells = deliveries.map((delivery) => [
      delivery.id,
      delivery.created_at,
      delivery.type,
      delivery.state,
      String(delivery.attempt_count),
      String(delivery.last_status ?? delivery.last_failure ?? '–'),
      delivery.next_attempt_at ?? '–',
    ]);
    const headings = ['DELIVERY', 'SINCE', 'EVENT', 'STATE', 'ATTEMPTS', 'LAST RESULT', 'NEXT ATTEMPT'];
    return {
      data: { deliveries },
      lines: table(headings, cells, 'No deliveries match.'),
    };
  },
});

/** As many deliveries as are wanted: a page may have fewer than its limit. */
async function readDeliveries(ctx: Context, query: DeliveryQuery): Promise<DeliveryRecord[]> {
  const { rows, cursor } = await listDeliveries(ctx, query);
  const limit = query.limit - rows.length;
  return cursor && limit > 0 ? [...rows, ...(await readDeliveries(ctx, { ...query, limit, cursor }))] : [...rows];
}

export const showDeliveryCommand = defineCommand({
  name: 'webhooks:delivery',
  summary: 'Show a delivery with all its attempts and responses.',
  parameters: { slug: 'The slug of the store.', delivery: 'The id of the delivery: whd_…' },
  async run({ parameters: { slug, delivery: id }, terminal }) {
    const stored = found(await withStore(terminal, slug, (ctx) => readDelivery(ctx, id)), 'webhook delivery');
    const delivery = presentDelivery(stored.delivery);
    const attempts = stored.attempts.map(presentAttempt);
    const cells = attempts.map(({ number, at, status, failure, duration_ms: ms, response }) => [
      String(number),
      at,
      String(status ?? failure),
      `${ms} ms`,
      // An endpoint's response could hold what a terminal executes.
      oneLine(response ?? '', 100),
    ]);
    return {
      data: { delivery, attempts },
      lines: [
        `${delivery.type} (${delivery.event_id}) for ${delivery.endpoint_id}: ${delivery.state}.`,
        ...table(['ATTEMPT', 'AT', 'RESULT', 'DURATION', 'RESPONSE'], cells, 'It has not been attempted yet.'),
      ],
    };
  },
});

export const redeliverCommand = defineCommand({
  name: 'webhooks:redeliver',
  summary: 'Resend a delivery now. The retry schedule starts from the beginning.',
  parameters: { slug: 'The slug of the store.', delivery: 'The id of the delivery: whd_…' },
  async run({ parameters: { slug, delivery: id }, terminal }) {
    await withStore(terminal, slug, (ctx) => redeliver(ctx, { id }));
    return { data: { id, redelivered: true }, lines: [`${id} is being resent.`] };
  },
});

const Choice = Type.Object({ only: Type.Optional(Type.Enum(['failed', 'all'])) });

export const recoverCommand = defineCommand({
  name: 'webhooks:recover',
  summary: 'Resend what an endpoint has missed since a time: at most 50,000 deliveries.',
  parameters: { slug: 'The slug of the store.', endpoint: 'The id of the endpoint: whe_…', since: timeHelp },
  options: {
    until: { type: 'string', value: 'time', description: 'Only deliveries before this time.' },
    only: { type: 'string', value: 'failed|all', description: 'all: also successful deliveries. Default: failed.' },
  },
  async run({ parameters: { slug, endpoint: id, since }, options: { until, only }, terminal }) {
    const choice = readInput('webhooks:recover', Choice, { ...(only !== undefined && { only }) });
    const { recovered } = await withStore(terminal, slug, (ctx) => {
      const from = readSince(ctx.clock, '<since>', since);
      return recoverDeliveries(ctx, { ...choice, id, since: from, until: readUntil(ctx.clock, until, from) });
    });
    return {
      data: { id, recovered },
      lines: [recovered > 0 ? `Deliveries being resent: ${recovered}.` : 'There is nothing to resend.'],
    };
  },
});
