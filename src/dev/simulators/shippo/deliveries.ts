import { createHmac } from 'node:crypto';

import type { WebhookEvent } from './wire.ts';
import type { Account, Delivery, SimulatorState } from './world.ts';

const responseTimeoutMs = 3000;
const attemptsMax = 3;
const deliveriesStoredMax = 10_000;
const heldBackMsMax = 1000;

/** Tell every address that listens for an event, at once or as the settings distort it. */
export function notify(world: SimulatorState, account: Account, event: WebhookEvent, data: object): void {
  // Rendered now: what is told late is what was true then.
  const payload = JSON.stringify({ event, test: account.test, data });
  for (const webhook of account.webhooks.values()) {
    if (!webhook.active || webhook.is_test !== account.test) continue;
    if (webhook.event !== event && webhook.event !== 'all') continue;
    const secret = account.webhookSecrets.get(webhook.object_id);
    const copies = world.random() < world.deliveries.duplicate ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const delivery: Delivery = { event, url: webhook.url, outcome: 'pending', attempts: [] };
      account.deliveries.push(delivery);
      if (account.deliveries.length > deliveriesStoredMax) account.deliveries.shift();
      send(world, delivery, payload, secret);
    }
  }
}

function send(world: SimulatorState, delivery: Delivery, payload: string, secret?: string): void {
  const { drop, reorder, delay_ms: delayMs } = world.deliveries;
  if (world.random() < drop) {
    delivery.outcome = 'dropped';
    return;
  }
  const waiting = world.heldBack.get(delivery.url) ?? [];
  if (world.random() < reorder) {
    const release = world.pending.later(delayMs + heldBackMsMax, () => attempt(world, delivery, payload, secret));
    world.heldBack.set(delivery.url, [...waiting, release]);
    return;
  }
  world.heldBack.delete(delivery.url);
  world.pending.later(delayMs, async () => {
    await attempt(world, delivery, payload, secret);
    for (const release of waiting) release();
  });
}

async function attempt(world: SimulatorState, delivery: Delivery, payload: string, secret?: string): Promise<void> {
  const status = await post(world, delivery.url, payload, secret);
  delivery.attempts.push({ at: world.now().toISOString(), status });
  if (status !== null && status >= 200 && status < 300) {
    delivery.outcome = 'delivered';
  } else if (worthAnotherTry(status) && delivery.attempts.length < attemptsMax) {
    world.pending.later(world.deliveries.retry_ms, () => attempt(world, delivery, payload, secret));
  } else {
    delivery.outcome = 'failed';
  }
}

function worthAnotherTry(status: number | null): boolean {
  return status === 408 || status === 429 || (status !== null && status >= 500);
}

async function post(world: SimulatorState, url: string, payload: string, secret?: string): Promise<number | null> {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'Shippo/1.0' };
  if (secret !== undefined) {
    const seconds = Math.floor(world.now().getTime() / 1000);
    const signature = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex');
    headers['shippo-auth-signature'] = `t=${seconds},v1=${signature}`;
  }
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    // Nobody answered; the listener's fault, and the record says so.
    return null;
  }
}
