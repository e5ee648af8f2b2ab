import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import type { Services } from '#src/services.ts';

export interface LabelCounts {
  readonly orders: number;
  /** Labels that the provider was ever paid for. */
  readonly sold: number;
  /** Of these, what it was paid for and keeps. */
  readonly kept: number;
  readonly refunded: number;
  /** What does not hold. */
  readonly breaches: readonly string[];
}

interface LabelLine {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly purchaseId: string | null;
  readonly isOpen: boolean;
}

/** Count at the provider what was bought, and compare it with what the orders know: each has one label. */
export async function countLabels(
  services: Services,
  shippoUrl: string,
  tokens: readonly string[],
): Promise<LabelCounts> {
  const transactions = (await Promise.all(tokens.map((token) => shippoControl(shippoUrl).transactions(token)))).flat();
  const sold = transactions.filter(({ tracking_number: number }) => number !== null);
  const kept = sold.filter(({ status }) => status === 'SUCCESS');
  const refunded = sold.filter(({ status }) => status === 'REFUNDED');
  const labels = await rows<LabelLine>(
    services,
    `
    select id, state, reason_code as reason, purchase_id as "purchaseId", buying_since is not null as "isOpen" from labels where state <> 'voided'`,
  );
  const [{ orders } = { orders: 0 }] = await rows<{ orders: number }>(
    services,
    'select count(*)::int as orders from orders',
  );
  const retainedIds = new Set(kept.map(({ object_id: id }) => id));
  const markers = new Map(kept.map(({ object_id: id, metadata }) => [id, metadata]));
  return {
    orders,
    sold: sold.length,
    kept: kept.length,
    refunded: refunded.length,
    breaches: [
      ...labels
        .filter(({ state }) => state !== 'purchased')
        .map(({ id, state, reason }) => `label ${id} is ${state} (${reason})`),
      ...labels.filter(({ isOpen }) => isOpen).map(({ id }) => `the purchase of label ${id} is open`),
      ...labels
        .filter(({ purchaseId }) => !retainedIds.has(purchaseId ?? ''))
        .map(({ id }) => `label ${id} is not among those that the provider sold`),
      ...labels
        .filter(({ id, purchaseId }) => !markers.get(purchaseId ?? '')?.startsWith(`${id}:`))
        .map(({ id }) => `label ${id} has the label of another order`),
      ...(kept.length === orders && labels.length === orders
        ? []
        : [`${kept.length} labels are kept and ${labels.length} known for ${orders} orders`]),
      ...(kept.length + refunded.length === sold.length
        ? []
        : [`${sold.length - kept.length - refunded.length} labels are neither kept nor refunded`]),
      ...(await unfinished(services)),
    ],
  };
}

async function unfinished(services: Services): Promise<string[]> {
  const found = await rows<{ what: string; count: number }>(
    services,
    `
    select 'second labels are not refunded' as what, count(*)::int as count from duplicate_labels where state <> 'duplicate_voided'
    union all select 'labels wait for a second look', count(*)::int from labels where recheck_at < now() + interval '30 minutes'
    union all select 'labels are being given back', count(*)::int from labels where voiding_since is not null
    union all select 'orders do not show their label', count(*)::int from orders o
      where fulfillment_status not in ('label_purchased', 'shipped') or jsonb_array_length(labels) <> 1
    union all select job || ' is not done', count(*)::int from outbox
      where queue = 'labels' and finished_at is null and failed_at is null and due_at <= now() and job not like '%sweep%' and job not like '%poll%' group by job`,
  );
  return found.filter(({ count }) => count > 0).map(({ what, count }) => `${count} × ${what}`);
}

/** How often the reply to each request was lost before it was done, and after. */
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

/** Across all stores, which nobody but a test may read like this. */
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
