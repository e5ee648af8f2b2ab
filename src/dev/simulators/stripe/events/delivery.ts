import type { Account } from '../account.ts';
import { endpointSecrets, type StripeEvent, type WebhookEndpoint } from '../objects/webhook-endpoint.ts';
import type { Sender } from './sender.ts';
import { signatureHeader } from './signature.ts';

/** How badly the post works. The defaults are a post that works well. */
export interface DeliverySettings {
  /** Probability that an event never reaches an endpoint. */
  readonly drop?: number;
  /** Probability that an event is sent twice. */
  readonly duplicate?: number;
  /** Hold events back and send them in another order: in windows of so many, or of 8. */
  readonly reorder?: boolean | number;
  /** Wait before the first attempt, from … to. */
  readonly delay_ms?: readonly [number, number];
  /** Waits between attempts; their number is the number of retries. */
  readonly retry_ms?: readonly number[];
  /** How long an endpoint may take to answer. */
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

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly event: StripeEvent;
  readonly endpoint: WebhookEndpoint;
  readonly account: Account;
  /** The status of each attempt; null where no answer came in time. */
  readonly attempts: { readonly at: number; readonly status: number | null }[];
  state: 'pending' | 'delivered' | 'dropped' | 'failed';
}

/** Try once, signed as of now, and write the attempt down: was it acknowledged? */
export async function attempt(
  { event, endpoint, attempts }: Delivery,
  sender: Sender,
  { now, timeoutMs }: { now: number; timeoutMs: number },
): Promise<boolean> {
  const body = JSON.stringify(event, null, 2);
  const secret = endpointSecrets.get(endpoint) ?? '';
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'stripe-signature': signatureHeader(body, secret, Math.floor(now / 1000)),
    'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
  };
  const status = await sender.post(endpoint.url, body, headers, timeoutMs);
  attempts.push({ at: now, status });
  return status !== null && status >= 200 && status < 300;
}

/** Whether an endpoint is to hear of a type of event. */
export function listens({ status, enabled_events: types }: WebhookEndpoint, type: string): boolean {
  return status === 'enabled' && (types.includes('*') || types.includes(type));
}
