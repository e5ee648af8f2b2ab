import { setTimeout as pause } from 'node:timers/promises';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import type { Random } from '#test/support/random.ts';

/** The order of a shopper, and whether it was paid. */
export interface Purchase {
  readonly orderId: string;
  readonly email: string;
  readonly paid: boolean;
  /** Whether it has a promo code, a gift card or a partner's code. */
  readonly hasCodes?: boolean;
}

const address = { line1: '1 Market St', city: 'San Francisco', state: 'CA', postal_code: '94105', country: 'US' };

/** A response that a shopper got, or none. */
export interface ObservedResponse {
  readonly request: string;
  readonly status: number | undefined;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

/** What shoppers may use in a checkout. */
export interface Codes {
  readonly promoCode: string;
  readonly partnerCode: string;
  readonly giftCardCodes: readonly string[];
}

type Observe = (response: ObservedResponse) => void;

export interface ShopperOptions {
  readonly count: number;
  readonly atOnce: number;
  /** The number of the first shopper, so that each has a unique email. */
  readonly firstNumber?: number;
  /** Otherwise one in ten leaves the payment page. */
  readonly allPay?: boolean;
  /**
   * Whether their storefront sends idempotency keys. Without one, a lost response starts a new order, which supersedes.
   */
  readonly withKeys?: boolean;
  /** Otherwise none is used. */
  readonly codes?: Codes | undefined;
  /** Called with every response, also those after which a request is repeated. */
  readonly observe?: Observe;
}

/** Let shoppers buy, a few at a time. Returns their purchases, without those whose product was sold out. */
export async function sendShoppers(
  stack: Stack,
  random: Random,
  { count, atOnce, firstNumber = 0, allPay = false, withKeys = true, codes, observe }: ShopperOptions,
): Promise<Purchase[]> {
  const products = await findProducts(stack, observe);
  const bought: Purchase[] = [];
  let next = 0;
  const runShopper = async (): Promise<void> => {
    while (next < count) {
      const number = firstNumber + (next += 1);
      const product = random.pick(products);
      const quantity = 1 + random.below(2);
      const pays = random.below(10) > 0 || allPay;
      const fields = codes ? chooseCodes(random, codes) : {};
      const one = await buy(stack, { number, product, quantity, fields, pays, withKeys, observe });
      if (one) bought.push(one);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runShopper));
  return bought;
}

function chooseCodes(random: Random, { promoCode, partnerCode, giftCardCodes }: Codes): Record<string, string> {
  return {
    ...(random.below(3) === 0 && { promo_code: promoCode }),
    ...(random.below(3) === 0 && { gift_card_code: random.pick(giftCardCodes) }),
    ...(random.below(4) === 0 && { partner_code: partnerCode }),
  };
}

interface Product {
  slug: string;
  variantId: string;
}

/** No carrier accepts two of a heavier product. */
const carriableOz = 400;

/** Products for one-time purchase that are shipped in a parcel; some sell out during the run. */
async function findProducts(stack: Stack, observe: Observe | undefined): Promise<Product[]> {
  const { products } = (await requestUntilAccepted(stack, 'GET', '/products?limit=100', { observe })) as {
    products: { slug: string; purchase_types: string[] }[];
  };
  const found = await Promise.all(
    products
      .filter(({ purchase_types: types }) => types.includes('one_time'))
      .map(async ({ slug }) => {
        const { product } = (await requestUntilAccepted(stack, 'GET', `/products/${slug}`, { observe })) as {
          product: { variants: { id: string; weight_oz: number | null }[] };
        };
        return product.variants
          .filter(({ weight_oz: weight }) => weight !== null && weight < carriableOz)
          .map(({ id }) => ({ slug, variantId: id }));
      }),
  );
  return found.flat();
}

interface PurchaseOptions {
  readonly number: number;
  readonly product: Product;
  readonly quantity: number;
  /** The codes that the shopper uses. */
  readonly fields: Readonly<Record<string, string>>;
  readonly pays: boolean;
  readonly withKeys: boolean;
  readonly observe: Observe | undefined;
}

/** Returns nothing when the product was sold out. Who may not use a code, buys without. */
async function buy(
  stack: Stack,
  { number, product, quantity, fields, pays, withKeys, observe }: PurchaseOptions,
): Promise<Purchase | undefined> {
  const email = `shopper-${number}@chaos.example`;
  const items = [{ product_slug: product.slug, variant_id: product.variantId, quantity }];
  const checkout = (name: string, given: typeof fields) =>
    requestUntilAccepted(stack, 'POST', '/checkout/sessions', {
      ...(withKeys && { key: `${name}-${number}` }),
      body: { items, customer_email: email, ...given },
      observe,
    });
  const wanted = await checkout('checkout', fields);
  const isRejected = /^(promo|gift_card)_/.test(String(wanted['error']));
  const session = isRejected ? await checkout('without-codes', {}) : wanted;
  const hasCodes = !isRejected && Object.keys(fields).length > 0;
  if (session['error'] === 'insufficient_stock') return undefined;
  const orderId = String(session['order_id']);
  if (!pays) return { orderId, email, paid: false, hasCodes };
  const sessionId = String(session['checkout_url']).split('/').at(-1) ?? '';
  await stripeControl(stack.stripeUrl).pay(sessionId, { outcome: 'paid', email, name: `Shopper ${number}`, address });
  return { orderId, email, paid: true, hasCodes };
}

/** A killed process holds an idempotency key for 15 seconds, and the next one may be killed, too. */
const acceptedWithinMs = 120_000;

/** Errors that a shopper may get: another one was faster. */
const shopperErrors: readonly unknown[] = ['insufficient_stock', 'promo_not_applicable', 'gift_card_not_applicable'];

/**
 * Repeat a request until it succeeds, as a good storefront does: with the same idempotency key, while the service
 * cannot be reached or is busy. Any error but those of a shopper fails the run.
 */
export async function requestUntilAccepted(
  stack: Stack,
  method: string,
  path: string,
  {
    body,
    key,
    asShopper = false,
    observe,
  }: { body?: unknown; key?: string; asShopper?: boolean; observe?: Observe | undefined } = {},
): Promise<Record<string, unknown>> {
  let last = 'nothing';
  const deadline = performance.now() + acceptedWithinMs;
  while (performance.now() < deadline) {
    const sentAt = performance.now();
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
    observe?.({
      request: `${method} ${path}`,
      status: response?.status,
      retryAfter: response?.headers.get('retry-after') ?? null,
      tookMs: performance.now() - sentAt,
    });
    if (response && text !== undefined) {
      const reply = JSON.parse(text) as Record<string, unknown>;
      if (response.ok || shopperErrors.includes(reply['error'])) return reply;
      if (response.status < 500 && ![409, 429].includes(response.status))
        throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    last = response ? `${response.status} ${text}` : 'no response';
    await pause(500);
  }
  throw new Error(`${method} ${path} did not succeed in time; last response: ${last}.`);
}
