import { setTimeout as pause } from 'node:timers/promises';

import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import type { Random } from '#test/support/random.ts';

/** What a shopper came away with: an order, and whether he paid for it. */
export interface Bought {
  readonly orderId: string;
  readonly email: string;
  readonly paid: boolean;
}

const address = { line1: '1 Market St', city: 'San Francisco', state: 'CA', postal_code: '94105', country: 'US' };

export interface Crowd {
  readonly count: number;
  readonly atOnce: number;
  /** Where to go on counting, so that nobody is taken for an earlier shopper. */
  readonly firstNumber?: number;
  /** Otherwise one in ten thinks better of it on the payment page. */
  readonly allPay?: boolean;
  /** Whether their storefront sends idempotency keys. Without one a lost answer begins a new order, which supersedes. */
  readonly withKeys?: boolean;
}

/** So many shoppers, a few at a time, who each buy something. Those for whom nothing was left are not in the answer. */
export async function sendShoppers(
  stack: Stack,
  random: Random,
  { count, atOnce, firstNumber = 0, allPay = false, withKeys = true }: Crowd,
): Promise<Bought[]> {
  const products = await findProducts(stack);
  const bought: Bought[] = [];
  let next = 0;
  const shop = async (): Promise<void> => {
    while (next < count) {
      const number = firstNumber + (next += 1);
      const product = random.pick(products);
      const quantity = 1 + random.below(2);
      const pays = random.below(10) > 0 || allPay;
      const one = await buy(stack, { number, product, quantity, pays, withKeys });
      if (one) bought.push(one);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, shop));
  return bought;
}

interface Product {
  slug: string;
  variantId: string;
}

/** Two of a heavier thing no carrier takes. */
const carriableOz = 400;

/** What can be bought once and is shipped in a parcel: some of it is scarce and sells out on the way. */
async function findProducts(stack: Stack): Promise<Product[]> {
  const { products } = (await insist(stack, 'GET', '/products?limit=100')) as {
    products: { slug: string; purchase_types: string[] }[];
  };
  const found = await Promise.all(
    products
      .filter(({ purchase_types: types }) => types.includes('one_time'))
      .map(async ({ slug }) => {
        const { product } = (await insist(stack, 'GET', `/products/${slug}`)) as {
          product: { variants: { id: string; weight_oz: number | null }[] };
        };
        return product.variants
          .filter(({ weight_oz: weight }) => weight !== null && weight < carriableOz)
          .map(({ id }) => ({ slug, variantId: id }));
      }),
  );
  return found.flat();
}

type Wish = { number: number; product: Product; quantity: number; pays: boolean; withKeys: boolean };

/** Answers nothing when it was sold out. */
async function buy(stack: Stack, { number, product, quantity, pays, withKeys }: Wish): Promise<Bought | undefined> {
  const email = `shopper-${number}@chaos.example`;
  const session = await insist(stack, 'POST', '/checkout/sessions', {
    ...(withKeys && { key: `checkout-${number}` }),
    body: { items: [{ product_slug: product.slug, variant_id: product.variantId, quantity }], customer_email: email },
  });
  if (session['error'] === 'insufficient_stock') return undefined;
  const orderId = String(session['order_id']);
  if (!pays) return { orderId, email, paid: false };
  const sessionId = String(session['checkout_url']).split('/').at(-1) ?? '';
  await stripeControl(stack.stripeUrl).pay(sessionId, { outcome: 'paid', email, name: `Shopper ${number}`, address });
  return { orderId, email, paid: true };
}

/**
 * Ask until there is an answer, as a patient storefront does: the same request with the same idempotency key, while
 * the service cannot be reached or says that it is busy. Another refusal than that nothing is left is an error of the
 * run.
 */
export async function insist(
  stack: Stack,
  method: string,
  path: string,
  { body, key, asShopper = false }: { body?: unknown; key?: string; asShopper?: boolean } = {},
): Promise<Record<string, unknown>> {
  let last = 'nothing';
  // A request whose process died holds its idempotency key for a minute.
  for (let attempt = 0; attempt < 240; attempt += 1) {
    const response = await fetch(`${stack.url}/api/v1${path}`, {
      method,
      headers: {
        ...(asShopper ? { 'x-tenant-slug': stack.store.slug } : { authorization: `Bearer ${stack.store.secretKey}` }),
        'content-type': 'application/json',
        ...(key && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response && text !== undefined) {
      const answer = JSON.parse(text) as Record<string, unknown>;
      if (response.ok || answer['error'] === 'insufficient_stock') return answer;
      if (response.status < 500 && ![409, 429].includes(response.status))
        throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    last = response ? `${response.status} ${text}` : 'no answer';
    await pause(500);
  }
  throw new Error(`${method} ${path} was never answered; last: ${last}.`);
}
