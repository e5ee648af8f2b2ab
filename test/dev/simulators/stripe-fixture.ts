import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';

import type { ExecutionContext } from 'ava';
import Stripe from 'stripe';

import { type StripeControl, stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';

export interface StoreFixture {
  readonly url: string;
  readonly key: string;
  readonly stripe: Stripe;
  readonly control: StripeControl;
  /** Another client of the same simulator. */
  client(key: string, options?: Stripe.StripeConfig): Stripe;
}

export interface StoreOptions {
  readonly now?: () => number;
  readonly seed?: number;
}

/** A simulator for one test, and clients of the real Stripe library. */
export async function openStoreFixture(t: ExecutionContext, options: StoreOptions = {}): Promise<StoreFixture> {
  const simulator = await startStripeSimulator(options);
  t.teardown(() => simulator.close());
  const key = 'sk_test_shop';
  const client: StoreFixture['client'] = (secretKey, more = {}) =>
    new Stripe(secretKey, {
      host: '127.0.0.1',
      port: new URL(simulator.url).port,
      protocol: 'http',
      telemetry: false,
      maxNetworkRetries: 0,
      ...more,
    });
  return { url: simulator.url, key, stripe: client(key), control: stripeControl(simulator.url), client };
}

export interface Receiver {
  readonly url: string;
  /** Every event with a valid signature, in the order of arrival, repeats included. */
  readonly events: Stripe.Event[];
  /** The status of the following responses. */
  status: number;
  readonly secret: string;
  /** Every secret that it accepts; at first only `secret`. */
  readonly secrets: string[];
  /** Resolves when so many events of this type have arrived. */
  arrived(type: string, count?: number): Promise<Stripe.Event>;
}

/** A webhook endpoint that checks every signature with the real library. */
export async function openReceiver(t: ExecutionContext, secret = 'whsec_test'): Promise<Receiver> {
  const events: Stripe.Event[] = [];
  const arrivals = new EventEmitter();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const event = verified(Buffer.concat(chunks), String(request.headers['stripe-signature']), receiver.secrets);
    if (!event) return response.writeHead(400).end();
    events.push(event);
    arrivals.emit('event');
    return response.writeHead(receiver.status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    events,
    status: 200,
    secret,
    secrets: [secret],
    async arrived(type, count = 1) {
      for (;;) {
        const found = events.filter((event) => event.type === type);
        const last = found[count - 1];
        if (last) return last;
        await once(arrivals, 'event');
      }
    },
  };
  return receiver;
}

function verified(body: Buffer, signature: string, secrets: readonly string[]): Stripe.Event | undefined {
  for (const secret of secrets) {
    try {
      return Stripe.webhooks.constructEvent(body, signature, secret);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    }
  }
  return undefined;
}

/** A one-time line, or with `recurring` a subscription's. */
export function line(
  name: string,
  unitAmount: number,
  more: {
    quantity?: number;
    currency?: string;
    recurring?: { interval: 'day' | 'week' | 'month' | 'year'; interval_count?: number };
    metadata?: Record<string, string>;
  } = {},
): Stripe.Checkout.SessionCreateParams.LineItem {
  const { quantity = 1, currency = 'usd', recurring, metadata = {} } = more;
  return {
    quantity,
    metadata,
    price_data: {
      currency,
      unit_amount: unitAmount,
      product_data: { name, metadata },
      ...(recurring && { recurring }),
    },
  };
}

/** The minimal parameters of a payment session. */
export function paymentSession(
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'payment',
    success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://shop.example/cart',
    line_items: [line('Mug', 1800)],
    ...more,
  };
}

/** The minimal parameters of a subscription session. */
export function subscriptionSession(
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams {
  return paymentSession({
    mode: 'subscription',
    line_items: [line('Beans', 2400, { recurring: { interval: 'month' } })],
    ...more,
  });
}

/** The id behind a field that may be expanded. */
export function idOf(field: string | { id: string } | null | undefined): string {
  if (field === null || field === undefined) throw new Error('expected an object or its id');
  return typeof field === 'string' ? field : field.id;
}

/** The error of a call that must fail. */
export async function errorOf(call: Promise<unknown>): Promise<InstanceType<typeof Stripe.errors.StripeError>> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}
