import { createHmac } from 'node:crypto';
import { type Dispatcher, request } from 'undici';

import { withFirstItems } from '../billing/subscription.ts';
import type { Account } from '../state/account.ts';
import type { StripeEvent, WebhookEndpoint } from '../state/objects.ts';

/** How unreliable deliveries are. The defaults are reliable. */
export interface DeliverySettings {
  /** Probability that an event never reaches an endpoint. */
  readonly drop?: number;
  /** Probability that an event is sent twice. */
  readonly duplicate?: number;
  /** Collect events and send them in another order: in batches of so many, or of 8. */
  readonly reorder?: boolean | number;
  /** Wait before the first attempt, from … to. */
  readonly delay_ms?: readonly [number, number];
  /** Waits between attempts; their number is the number of retries. */
  readonly retry_ms?: readonly number[];
  /** How long an endpoint may take to respond. */
  readonly timeout_ms?: number;
  readonly seed?: number;
}

export const defaultSettings = {
  drop: 0,
  duplicate: 0,
  reorder: false,
  delay_ms: [0, 0],
  retry_ms: [200, 500, 1000, 2000, 4000, 8000],
  timeout_ms: 10_000,
} satisfies DeliverySettings;

/** Sending one event to one endpoint. */
export interface Delivery {
  readonly event: StripeEvent;
  readonly endpoint: WebhookEndpoint;
  readonly account: Account;
  /** The status of each attempt; null where no response came in time. */
  readonly attempts: { readonly at: number; readonly status: number | null }[];
  state: 'pending' | 'delivered' | 'dropped' | 'failed';
}

/** Make one attempt, signed as of now, and record it. Returns whether the endpoint acknowledged the event. */
export async function sendOnce(
  { account, event, endpoint, attempts }: Delivery,
  dispatcher: Dispatcher,
  { now, timeoutMs }: { now: number; timeoutMs: number },
): Promise<boolean> {
  const body = JSON.stringify(inVersion(endpoint, event), withFirstItems, 2);
  const secret = account.endpointSecrets.get(endpoint) ?? '';
  const status = await post(endpoint.url, {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signatureHeader(body, secret, Math.floor(now / 1000)),
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    },
    dispatcher,
    signal: AbortSignal.timeout(timeoutMs),
  });
  attempts.push({ at: now, status });
  return status !== null && status >= 200 && status < 300;
}

/** The event as the endpoint's API version has it. Before 2025-03-31 an invoice had no parent. */
function inVersion({ api_version: version }: WebhookEndpoint, event: StripeEvent): object {
  const { object } = event.data;
  if (version >= '2025-03-31' || object.object !== 'invoice') return { ...event, api_version: version };
  const { parent, ...invoice } = object;
  const { subscription, metadata } = Object(parent).subscription_details;
  return {
    ...event,
    api_version: version,
    data: { ...event.data, object: { ...invoice, subscription, subscription_details: { metadata } } },
  };
}

export function isSubscribed({ status, enabled_events: types }: WebhookEndpoint, type: string): boolean {
  return status === 'enabled' && (types.includes('*') || types.includes(type));
}

/** The `Stripe-Signature` header: HMAC-SHA256 of `t.body` with the whole secret, `whsec_` included. */
export function signatureHeader(body: string, secret: string, nowSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${nowSeconds}.${body}`).digest('hex');
  return `t=${nowSeconds},v1=${signature}`;
}

/** The status of the response; null when none came in time. Redirects are not followed. */
async function post(url: string, options: Parameters<typeof request>[1]): Promise<number | null> {
  try {
    const { statusCode, body } = await request(url, { ...options, method: 'POST' });
    await body.dump();
    return statusCode;
  } catch {
    return null;
  }
}
