import { read } from '#src/database/transact.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { exportJournal } from '#src/domain/bulk/exports/journal.ts';
import type { Services } from '#src/services.ts';
import type { LabelStore } from './label-actions.ts';

export interface LabelCounts {
  readonly orders: number;
  /** Labels that were ever paid for. */
  readonly purchased: number;
  /** Of these, those that are paid and not refunded. */
  readonly active: number;
  readonly refunded: number;
  /** The violated invariants. */
  readonly breaches: readonly string[];
}

interface LabelLine {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly purchaseId: string | null;
  readonly isOpen: boolean;
}

/** Count the labels at the provider, and compare them with the orders: each has one label. */
export async function countLabels(
  services: Services,
  shippoUrl: string,
  stores: readonly LabelStore[],
): Promise<LabelCounts> {
  const transactions = (
    await Promise.all(stores.map(({ token }) => shippoControl(shippoUrl).transactions(token)))
  ).flat();
  const purchased = transactions.filter(({ tracking_number: number }) => number !== null);
  const active = purchased.filter(({ status }) => status === 'SUCCESS');
  const refunded = purchased.filter(({ status }) => status === 'REFUNDED');
  const labels = await rows<LabelLine>(
    services,
    `
    select id, state, reason_code as reason, purchase_id as "purchaseId", buying_since is not null as "isOpen"
    from labels where state <> 'voided'`,
  );
  const [{ orders } = { orders: 0 }] = await rows<{ orders: number }>(
    services,
    'select count(*)::int as orders from orders',
  );
  const activeIds = new Set(active.map(({ object_id: id }) => id));
  const markers = new Map(active.map(({ object_id: id, metadata }) => [id, metadata]));
  return {
    orders,
    purchased: purchased.length,
    active: active.length,
    refunded: refunded.length,
    breaches: [
      ...labels
        .filter(({ state }) => state !== 'purchased')
        .map(({ id, state, reason }) => `label ${id} is ${state} (${reason})`),
      ...labels.filter(({ isOpen }) => isOpen).map(({ id }) => `the purchase of label ${id} is open`),
      ...labels
        .filter(({ purchaseId }) => !activeIds.has(purchaseId ?? ''))
        .map(({ id }) => `label ${id} is not among those at the provider`),
      ...labels
        .filter(({ id, purchaseId }) => !markers.get(purchaseId ?? '')?.startsWith(`${id}:`))
        .map(({ id }) => `label ${id} has the label of another order`),
      ...(active.length === orders && labels.length === orders
        ? []
        : [`${active.length} labels are active and ${labels.length} known for ${orders} orders`]),
      ...(active.length + refunded.length === purchased.length
        ? []
        : [`${purchased.length - active.length - refunded.length} labels are neither active nor refunded`]),
      ...(await unfinished(services)),
    ],
  };
}

async function unfinished(services: Services): Promise<string[]> {
  const found = await rows<{ what: string; count: number }>(
    services,
    `
    select 'second labels are not refunded' as what, count(*)::int as count from unused_labels
    where refunded_at is null or refund_rejected_at is not null
    union all select 'labels wait for a second lookup', count(*)::int from labels
      where recheck_at < now() + interval '30 minutes'
    union all select 'labels are being refunded', count(*)::int from labels where voiding_since is not null
    union all select 'orders do not show their label', count(*)::int from orders o
      where fulfillment_status not in ('label_purchased', 'shipped') or jsonb_array_length(labels) <> 1
    union all select job || ' is not completed', count(*)::int from outbox
      where queue = 'labels' and finished_at is null and failed_at is null and due_at <= now()
        and job not like '%sweep%' and job not like '%poll%' group by job`,
  );
  return found.filter(({ count }) => count > 0).map(({ what, count }) => `${count} × ${what}`);
}

/** The journal of each store has what the provider was paid for its labels, and what it has refunded. */
export async function compareCosts(shippoUrl: string, stores: readonly LabelStore[]): Promise<string[]> {
  const breaches: string[] = [];
  for (const { ctx, token } of stores) {
    const { charged_cents: charged, refunded_cents: refunded } = await shippoControl(shippoUrl).account(token);
    const entries = await read<{ account: string; amount_cents: number }>(
      ctx,
      exportJournal.select(ctx, { from: null, to: null }),
    );
    const sumOf = (account: string) =>
      entries.reduce((sum, entry) => sum + (entry.account === account ? entry.amount_cents : 0), 0);
    const [costs, refunds] = [sumOf('label_costs'), sumOf('label_refunds')];
    if (costs + charged !== 0 || refunds !== refunded)
      breaches.push(
        `the journal of ${ctx.tenant.slug} has costs of ${costs} and refunds of ${refunds}, ` +
          `and the provider ${charged} and ${refunded}`,
      );
  }
  return breaches;
}

/** How often the response to each request was lost, before its effect and after. */
export async function countLostReplies(
  shippoUrl: string,
): Promise<ReadonlyMap<string, { before: number; after: number }>> {
  const counts = new Map<string, { before: number; after: number }>();
  for (const { method, path, fault } of await shippoControl(shippoUrl).requests()) {
    const line = lineOf(method, path);
    const count = counts.get(line) ?? { before: 0, after: 0 };
    counts.set(line, count);
    if (fault && ['hang', 'status', 'reset_before', 'reset_after'].includes(fault.kind))
      count[fault.after || fault.kind === 'reset_after' ? 'after' : 'before'] += 1;
  }
  return counts;
}

/** `GET /transactions/8f…` is `GET /transactions/*`. */
export function lineOf(method: string, path: string): string {
  const [, kind = '', ...more] = path.replace(/\/+$/, '').split('/');
  return `${method} /${kind}${more.length > 0 ? '/*' : ''}`;
}

/** Read across all stores, as only a test may. */
async function rows<Row>(services: Services, text: string): Promise<Row[]> {
  const client = await services.context().database.pool.connect();
  try {
    await client.query(`begin; set local app.platform = 'on'`);
    const { rows } = await client.query(text);
    await client.query('commit');
    return rows as Row[];
  } finally {
    client.release();
  }
}

/** Each place of the protocol with its statements and calls, and the number of kills before and after each. */
export function describePoints(killedAt: ReadonlyMap<string, number>, recorded: ReadonlySet<string>): string[] {
  const places = new Map<string, Map<string, { before?: number; after?: number }>>();
  for (const [point, kills] of killedAt) {
    const [, place = '', when = '', name = ''] = /^(.+): (before|after) (.+)$/.exec(point) ?? [];
    const names = places.get(place) ?? new Map<string, { before?: number; after?: number }>();
    places.set(place, names.set(name, { ...names.get(name), [when]: kills }));
  }
  const covered = [...killedAt.values()].filter((kills) => kills > 0).length;
  const besides = [...killedAt.keys()].filter((point) => !recorded.has(point)).length;
  return [
    `${covered} of ${killedAt.size} points are covered` +
      `${recorded.size > 0 ? `, of which ${besides} occur only after a kill or a freeze` : ''}. ` +
      'Kills before and after:',
    ...[...places]
      .toSorted(([left], [right]) => left.localeCompare(right))
      .map(
        ([place, names]) =>
          `  ${place}: ` +
          [...names].map(([name, { before = 0, after = 0 }]) => `${name} ${before}, ${after}`).join(' · '),
      ),
  ];
}

/** How often the response to each request was lost, before its effect and after. */
export function describeReplies(
  requests: readonly string[],
  replies: ReadonlyMap<string, { before: number; after: number }>,
): string[] {
  return [
    'Lost responses, before the effect and after:',
    ...requests.map((request) => {
      const { before, after } = replies.get(request) ?? { before: 0, after: 0 };
      return `  ${request}: ${before}, ${after}`;
    }),
  ];
}
