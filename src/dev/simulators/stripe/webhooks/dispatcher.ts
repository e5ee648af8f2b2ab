import { EventEmitter, once } from 'node:events';
import { Agent } from 'undici';

import { Random } from '../../random.ts';
import type { Account } from '../state/account.ts';
import type { StripeEvent } from '../state/objects.ts';
import { type Delivery, type DeliverySettings, defaultSettings, isSubscribed, sendOnce } from './delivery.ts';

interface WebhookDispatcherOptions {
  readonly now: () => number;
  readonly seed: number;
}

const connectionsMax = 32;
const reorderBatchSize = 8;
const reorderMsMax = 100;
const flushRetryMs = 10;

/** Sends events to webhook endpoints: signed, with retries, and as unreliably as the settings say. */
export class WebhookDispatcher {
  readonly #now: () => number;
  readonly #agent = new Agent({ connections: connectionsMax });
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #random: Random;
  #settings: Required<Omit<DeliverySettings, 'seed'>> = defaultSettings;
  /** All deliveries, and those that are not finished yet. */
  #deliveries: Delivery[] = [];
  readonly #pending = new Set<Delivery>();
  /** Of the pending: what is collected to be shuffled, and what waits for its time. */
  #batch: Delivery[] = [];
  readonly #timers = new Map<Delivery, NodeJS.Timeout>();
  #batchTimer: NodeJS.Timeout | undefined;
  #flushes = 0;

  constructor({ now, seed }: WebhookDispatcherOptions) {
    this.#now = now;
    this.#random = new Random(seed);
  }

  configure({ seed, ...settings }: DeliverySettings): void {
    this.#settings = { ...defaultSettings, ...settings };
    if (seed !== undefined) this.#random = new Random(seed);
    if (!settings.reorder) this.#releaseBatch();
  }

  /** Send an event to every endpoint of the account that is subscribed to it. */
  dispatch(account: Account, event: StripeEvent): void {
    for (const endpoint of account.webhookEndpoints.all()) {
      if (!isSubscribed(endpoint, event.type)) continue;
      const dropped = this.#random.happens(this.#settings.drop);
      const copies = !dropped && this.#random.happens(this.#settings.duplicate) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const state = dropped ? 'dropped' : 'pending';
        this.#accept({ account, event, endpoint, attempts: [], state });
      }
    }
  }

  deliveriesOf(account: Account): Delivery[] {
    return this.#deliveries.filter((delivery) => delivery.account === account);
  }

  /** How many deliveries are not finished. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Send everything that is delayed, retries too; resolves when nothing is left. */
  async flush(): Promise<void> {
    this.#flushes += 1;
    this.#releaseBatch();
    for (const delivery of this.#timers.keys()) this.#schedule(delivery, 0);
    await this.#until(() => this.#pending.size === 0);
    this.#flushes -= 1;
  }

  /** Resolve when nothing is left to deliver or the time is over; true when nothing is left. */
  idle(timeoutMs: number): Promise<boolean> {
    return this.#until(() => this.#pending.size === 0, timeoutMs);
  }

  /** Resolve when all deliveries of the event are finished or the time is over; true when they are finished. */
  acknowledged(event: StripeEvent, timeoutMs: number): Promise<boolean> {
    const isFinished = (): boolean => ![...this.#pending].some((delivery) => delivery.event === event);
    return this.#until(isFinished, timeoutMs);
  }

  /** Drop all deliveries, and be reliable again. */
  reset(): void {
    clearTimeout(this.#batchTimer);
    this.#batchTimer = undefined;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#batch = [];
    this.#pending.clear();
    this.#deliveries = [];
    this.#settings = defaultSettings;
    this.#changes.emit('change');
  }

  async close(): Promise<void> {
    this.reset();
    await this.#agent.destroy();
  }

  async #until(isReached: () => boolean, timeoutMs?: number): Promise<boolean> {
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    while (!isReached() && !signal?.aborted) await once(this.#changes, 'change', { signal }).catch(() => {});
    return isReached();
  }

  #accept(delivery: Delivery): void {
    this.#deliveries.push(delivery);
    delivery.event.pending_webhooks += 1;
    if (delivery.state === 'dropped') return;
    this.#pending.add(delivery);
    const { reorder } = this.#settings;
    if (!reorder) return this.#delay(delivery);
    this.#batch.push(delivery);
    if (this.#batch.length >= (reorder === true ? reorderBatchSize : reorder)) return this.#releaseBatch();
    this.#batchTimer ??= setTimeout(() => this.#releaseBatch(), reorderMsMax);
  }

  #releaseBatch(): void {
    clearTimeout(this.#batchTimer);
    this.#batchTimer = undefined;
    const batch = this.#random.shuffled(this.#batch);
    this.#batch = [];
    for (const delivery of batch) this.#delay(delivery);
  }

  #delay(delivery: Delivery): void {
    const [min, max] = this.#settings.delay_ms;
    this.#schedule(delivery, this.#flushes > 0 ? 0 : this.#random.between(min, max));
  }

  #schedule(delivery: Delivery, ms: number): void {
    clearTimeout(this.#timers.get(delivery));
    const timer = setTimeout(() => {
      this.#timers.delete(delivery);
      void this.#deliver(delivery);
    }, ms);
    this.#timers.set(delivery, timer);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { timeout_ms: timeoutMs, retry_ms: retryMs } = this.#settings;
    const acknowledged = await sendOnce(delivery, this.#agent, { now: this.#now(), timeoutMs });
    if (!this.#pending.has(delivery)) return;
    if (acknowledged) return this.#finish(delivery, 'delivered');
    const { endpoint, attempts } = delivery;
    const wait = retryMs[attempts.length - 1];
    if (wait === undefined || endpoint.status !== 'enabled') return this.#finish(delivery, 'failed');
    this.#schedule(delivery, this.#flushes > 0 ? Math.min(wait, flushRetryMs) : wait);
  }

  #finish(delivery: Delivery, state: 'delivered' | 'failed'): void {
    delivery.state = state;
    if (state === 'delivered') delivery.event.pending_webhooks -= 1;
    this.#pending.delete(delivery);
    this.#changes.emit('change');
  }
}
