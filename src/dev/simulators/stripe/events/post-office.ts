import type { Account } from '../account.ts';
import type { StripeEvent } from '../objects/webhook-endpoint.ts';
import { Random } from '../random.ts';
import { Bell } from './bell.ts';
import { attempt, type Delivery, type DeliverySettings, defaultSettings, listens } from './delivery.ts';
import { Sender } from './sender.ts';

interface PostOfficeOptions {
  readonly now: () => number;
  readonly log: (line: string) => void;
  readonly seed: number;
}

const windowSize = 8;
const windowMs = 100;
const hurryMs = 10;

/** Brings events to webhook endpoints: signed, with retries, and as unreliably as it is told to. */
export class PostOffice {
  readonly #now: () => number;
  readonly #log: (line: string) => void;
  readonly #sender = new Sender();
  readonly #bell = new Bell();
  #random: Random;
  #settings: Required<Omit<DeliverySettings, 'seed'>> = defaultSettings;
  /** Everything that was ever to be delivered, and what of it is not settled yet. */
  #deliveries: Delivery[] = [];
  readonly #pending = new Set<Delivery>();
  /** Of the pending: what is held back to be shuffled, and what waits for its time. */
  #held: Delivery[] = [];
  readonly #timers = new Map<Delivery, NodeJS.Timeout>();
  #window: NodeJS.Timeout | undefined;
  #flushes = 0;

  constructor({ now, log, seed }: PostOfficeOptions) {
    this.#now = now;
    this.#log = log;
    this.#random = new Random(seed);
  }

  configure({ seed, ...settings }: DeliverySettings): void {
    this.#settings = { ...defaultSettings, ...settings };
    if (seed !== undefined) this.#random = new Random(seed);
    if (!settings.reorder) this.#release();
  }

  /** Promise an event to every endpoint of the account that listens for it. */
  post(account: Account, event: StripeEvent): void {
    for (const endpoint of account.webhookEndpoints.all()) {
      if (!listens(endpoint, event.type)) continue;
      const lost = this.#random.happens(this.#settings.drop);
      const copies = !lost && this.#random.happens(this.#settings.duplicate) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const state = lost ? 'dropped' : 'pending';
        this.#accept({ account, event, endpoint, attempts: [], state });
      }
    }
  }

  deliveriesOf(account: Account): Delivery[] {
    return this.#deliveries.filter((delivery) => delivery.account === account);
  }

  /** How many deliveries still wait or are on their way. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Send everything that is held back or waits, retries too, and resolve when nothing is left. */
  async flush(): Promise<void> {
    this.#flushes += 1;
    this.#release();
    for (const delivery of this.#timers.keys()) this.#schedule(delivery, 0);
    await this.#bell.until(() => this.#pending.size === 0);
    this.#flushes -= 1;
  }

  /** Resolve when nothing is left to deliver, or when the time is over: was it idle? */
  idle(timeoutMs: number): Promise<boolean> {
    return this.#bell.until(() => this.#pending.size === 0, timeoutMs);
  }

  /** Resolve when nobody is still to be told of the event, or when the time is over. */
  acknowledged(event: StripeEvent, timeoutMs: number): Promise<boolean> {
    const told = (): boolean => ![...this.#pending].some((delivery) => delivery.event === event);
    return this.#bell.until(told, timeoutMs);
  }

  /** Forget everything that is under way, and be reliable again. */
  reset(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#held = [];
    this.#pending.clear();
    this.#deliveries = [];
    this.#settings = defaultSettings;
    this.#bell.ring();
  }

  close(): void {
    this.reset();
    this.#sender.close();
  }

  #accept(delivery: Delivery): void {
    this.#deliveries.push(delivery);
    delivery.event.pending_webhooks += 1;
    if (delivery.state === 'dropped') return;
    this.#pending.add(delivery);
    const { reorder } = this.#settings;
    if (!reorder) return this.#dispatch(delivery);
    this.#held.push(delivery);
    if (this.#held.length >= (reorder === true ? windowSize : reorder)) return this.#release();
    this.#window ??= setTimeout(() => this.#release(), windowMs);
  }

  #release(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    const held = this.#random.shuffled(this.#held);
    this.#held = [];
    for (const delivery of held) this.#dispatch(delivery);
  }

  #dispatch(delivery: Delivery): void {
    const [least, most] = this.#settings.delay_ms;
    this.#schedule(delivery, this.#flushes > 0 ? 0 : this.#random.between(least, most));
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
    const { timeout_ms: timeoutMs, retry_ms: waits } = this.#settings;
    const acknowledged = await attempt(delivery, this.#sender, { now: this.#now(), timeoutMs });
    if (!this.#pending.has(delivery)) return;
    if (acknowledged) return this.#settle(delivery, 'delivered');
    const { event, endpoint, attempts } = delivery;
    this.#log(`webhook ${event.type} to ${endpoint.url}: ${attempts.at(-1)?.status ?? 'no answer'}`);
    const wait = waits[attempts.length - 1];
    if (wait === undefined || endpoint.status !== 'enabled') return this.#settle(delivery, 'failed');
    this.#schedule(delivery, this.#flushes > 0 ? Math.min(wait, hurryMs) : wait);
  }

  #settle(delivery: Delivery, state: 'delivered' | 'failed'): void {
    delivery.state = state;
    if (state === 'delivered') delivery.event.pending_webhooks -= 1;
    this.#pending.delete(delivery);
    this.#bell.ring();
  }
}
