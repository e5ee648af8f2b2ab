import { createHmac } from 'node:crypto';

import type { Webhook, WebhookEvent } from './objects.ts';
import { type Account, type Delivery, type SimulatorState, stored } from './state.ts';

const responseTimeoutMs = 3000;
const attemptsMax = 3;
const deliveriesStoredMax = 10_000;
const heldBackMsMax = 1000;

/** Send an event to every subscribed webhook, at once or as the settings say. */
export function notify(simulator: SimulatorState, account: Account, event: WebhookEvent, data: object): void {
  // Rendered now: a delayed event has the state of now.
  const payload = JSON.stringify({ event, test: account.test, data });
  for (const webhook of account.webhooks.values()) {
    if (webhook.event !== event && webhook.event !== 'all') continue;
    const secret = account.webhookSecrets.get(webhook.object_id);
    const copies = simulator.random() < simulator.deliveries.duplicate ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const delivery: Delivery = { event, url: webhook.url, outcome: 'pending', attempts: [] };
      account.deliveries.push(delivery);
      if (account.deliveries.length > deliveriesStoredMax) account.deliveries.shift();
      send(simulator, delivery, payload, secret);
    }
  }
}

function send(simulator: SimulatorState, delivery: Delivery, payload: string, secret?: string): void {
  const { drop, reorder, delay_ms: delayMs } = simulator.deliveries;
  if (simulator.random() < drop) {
    delivery.outcome = 'dropped';
    return;
  }
  const waiting = simulator.heldBack.get(delivery.url) ?? [];
  if (simulator.random() < reorder) {
    const release = simulator.pending.later(delayMs + heldBackMsMax, () =>
      attempt(simulator, delivery, payload, secret),
    );
    simulator.heldBack.set(delivery.url, [...waiting, release]);
    return;
  }
  simulator.heldBack.delete(delivery.url);
  simulator.pending.later(delayMs, async () => {
    await attempt(simulator, delivery, payload, secret);
    for (const release of waiting) release();
  });
}

async function attempt(simulator: SimulatorState, delivery: Delivery, payload: string, secret?: string): Promise<void> {
  const status = await post(simulator, delivery.url, payload, secret);
  delivery.attempts.push({ at: simulator.now().toISOString(), status });
  if (status !== null && status >= 200 && status < 300) {
    delivery.outcome = 'delivered';
  } else if (isRetryable(status) && delivery.attempts.length < attemptsMax) {
    simulator.pending.later(simulator.deliveries.retry_ms, () => attempt(simulator, delivery, payload, secret));
  } else {
    delivery.outcome = 'failed';
  }
}

function isRetryable(status: number | null): boolean {
  return status === 408 || status === 429 || (status !== null && status >= 500);
}

async function post(simulator: SimulatorState, url: string, payload: string, secret?: string): Promise<number | null> {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'Shippo/1.0' };
  if (secret !== undefined) {
    const seconds = Math.floor(simulator.now().getTime() / 1000);
    const signature = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex');
    headers['shippo-auth-signature'] = `t=${seconds},v1=${signature}`;
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    // No response: the delivery record says so.
    return null;
  }
}

/** Subscribe a URL to an event. */
export function registerWebhook(
  simulator: SimulatorState,
  account: Account,
  request: Pick<Webhook, 'event' | 'url'>,
): Webhook {
  const { test, ...head } = stored(simulator, account);
  const webhook: Webhook = { ...head, active: true, is_test: test, ...request };
  account.webhooks.set(webhook.object_id, webhook);
  return webhook;
}
