import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import { until } from '#test/support/until.ts';
import { percentile } from './numbers.ts';

/** A purchase, and how long its shopper waited for the cart. */
export interface Bought {
  readonly orderId: string;
  readonly email: string;
  readonly cartMs: number;
}

/** Buys from the store of a stack, one order after the other or many at once. */
export interface Buyer {
  /** One shopper's way from an empty cart to the paid session. */
  buy(): Promise<Bought>;
  /** Milliseconds from the acceptance of an order's event to what follows, if that is done. */
  followedAfterMs(orderId: string): Promise<Followed>;
}

export interface Followed {
  readonly label: number | null;
  readonly delivered: number | null;
}

export type Rows = (text: string, values?: unknown[]) => Promise<any[]>;

/** @param rows runs a query on the tables of all stores */
export async function openBuyer(stack: Stack, rows: Rows): Promise<Buyer> {
  const stripe = stripeControl(stack.stripeUrl);

  async function request(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${stack.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${stack.store.publishableKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  const { product } = await request('GET', '/products/oak-bowl');
  const variantId = product.variants[0].id;
  const [{ id: tenantId }] = await rows('select id from tenants where slug = $1', [stack.store.slug]);
  let shoppers = 0;

  return {
    async buy() {
      const email = `buyer-${(shoppers += 1)}@bench.example`;
      const startedAt = performance.now();
      const { cart } = await request('POST', '/cart', {});
      await request('POST', `/cart/${cart.id}/items`, { variantId, quantity: 1 });
      await request('GET', `/cart/${cart.id}`);
      const cartMs = performance.now() - startedAt;
      const session = await request('POST', '/checkout/sessions', {
        items: [{ product_slug: product.slug, variant_id: variantId, quantity: 1 }],
        customer_email: email,
        cart_id: cart.id,
      });
      await stripe.pay(session.checkout_url.split('/').at(-1), { outcome: 'paid', email });
      return { orderId: session.order_id, email, cartMs };
    },

    /** Each by an index, because it is polled beside what is measured. */
    async followedAfterMs(orderId) {
      const [followed] = await rows(
        `
        select extract(epoch from purchased.at - paid.at)::float8 * 1000 as label,
          extract(epoch from finished.at - paid.at)::float8 * 1000 as delivered
        from
          (select min(e.received_at) as at from payment_sessions s
            join payment_events e on e.tenant_id = s.tenant_id and e.object_id = s.provider_session_id
            where s.tenant_id = $1 and s.order_id = $2) paid,
          (select min(purchased_at) as at from labels where tenant_id = $1 and order_id = $2) purchased,
          (select min(d.finished_at) as at from events e
            join webhook_deliveries d on d.tenant_id = e.tenant_id and d.event_id = e.id
            where e.tenant_id = $1 and e.object_id = $2 and e.type = 'order.paid' and d.state = 'delivered') finished`,
        [tenantId, orderId],
      );
      return followed;
    },
  };
}

/** How long shoppers and the owner of a store waited, in milliseconds, one value for each order. */
export type Felt = Readonly<Record<'cart' | 'label' | 'delivered', readonly number[]>>;

const felt = { cart: 'cart', label: 'label', delivered: 'order.paid' } as const;

/** Buy one by one: each order when the label of the last one is purchased and its event is delivered. */
export async function buyOneByOne(
  { buy, followedAfterMs }: Buyer,
  times: number,
  onBought: (bought: Bought) => void = () => undefined,
): Promise<Felt> {
  const values: { cart: number; label: number; delivered: number }[] = [];
  for (let order = 0; order < times; order += 1) {
    const bought = await buy();
    onBought(bought);
    values.push(
      await until(
        async () => {
          const { label, delivered } = await followedAfterMs(bought.orderId);
          return label !== null && delivered !== null ? { cart: bought.cartMs, label, delivered } : undefined;
        },
        { withinMs: 180_000, everyMs: 25, what: 'the label and the delivery of an order' },
      ),
    );
  }
  return {
    cart: values.map(({ cart }) => cart),
    label: values.map(({ label }) => label),
    delivered: values.map(({ delivered }) => delivered),
  };
}

/** A line of a report; `quiet` is what was felt beside nothing. */
export function describeFelt(name: string, values: Felt, quiet?: Felt): string {
  const p95 = (from: Felt, kind: keyof Felt) => percentile(from[kind], 0.95);
  const parts = (Object.keys(felt) as (keyof Felt)[]).map((kind) => {
    const ratio = quiet ? ` (${(p95(values, kind) / p95(quiet, kind)).toFixed(2)} ×)` : '';
    return `${felt[kind]} p50 ${format(percentile(values[kind], 0.5))} p95 ${format(p95(values, kind))}${ratio}`;
  });
  return `${name}: ${parts.join(', ')}`;
}

function format(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
