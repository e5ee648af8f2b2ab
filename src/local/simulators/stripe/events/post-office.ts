import type { Account } from '../account.ts';
import type { StripeEvent, WebhookEndpoint } from '../objects/webhook-endpoint.ts';
import { endpointSecrets } from '../objects/webhook-endpoint.ts';
import { Random } from '../random.ts';
import { Sender } from './send.ts';
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

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly event: StripeEvent;
  readonly endpoint: WebhookEndpoint;
  readonly account: Account;
  readonly attempts: { readonly at: number; readonly status: number | null }[];
  state: 'pending' | 'delivered' | 'dropped' | 'failed';
}

interface PostOfficeOptions {
  readonly now: () => number;
  readonly log: (line: string) => void;
  readonly seed: number;
}

const defaults = {
  drop: 0,
  duplicate: 0,
  reorder: false,
  delay_ms: [0, 0],
  retry_ms: [200, 500, 1000, 2000, 4000, 8000],
  timeout_ms: 10_000,
} satisfies DeliverySettings;
const windowSize = 8;
const windowMs = 100;
const hurryMs = 10;

/** Brings events to webhook endpoints: signed, with retries, and as unreliably as it is told to. */
export class PostOffice {
  readonly #now: () => number;
  readonly #log: (line: string) => void;
  #sender = new Sender();
  #random: Random;
  #settings: Required<Omit<DeliverySettings, 'seed'>> = defaults;
  #deliveries: Delivery[] = [];
  #pending = new Set<Delivery>();
  #held: Delivery[] = [];
  #timers = new Map<Delivery, NodeJS.Timeout>();
  #windowTimer: NodeJS.Timeout | undefined;
  #watchers = new Set<() => void>();
  #hurried = 0;
  #closed = false;

  constructor({ now, log, seed }: PostOfficeOptions) {
    this.#now = now;
    this.#log = log;
    this.#random = new Random(seed);
  }

  configure({ seed, ...settings }: DeliverySettings): void {
    this.#settings = { ...defaults, ...settings };
    if (seed !== undefined) this.#random = new Random(seed);
    if (!settings.reorder) this.#release();
  }

  /** Promise an event to every enabled endpoint of the account that listens for it. */
  post(account: Account, event: StripeEvent): void {
    for (const endpoint of account.webhookEndpoints.all()) {
      if (endpoint.status === 'enabled' && listens(endpoint, event.type)) this.send(account, event, endpoint);
    }
  }

  send(account: Account, event: StripeEvent, endpoint: WebhookEndpoint): void {
    const delivery: Delivery = { account, event, endpoint, attempts: [], state: 'pending' };
    this.#deliveries.push(delivery);
    event.pending_webhooks += 1;
    if (this.#random.happens(this.#settings.drop)) {
      delivery.state = 'dropped';
      return;
    }
    this.#hold(delivery);
    if (this.#random.happens(this.#settings.duplicate)) {
      const copy: Delivery = { ...delivery, attempts: [] };
      this.#deliveries.push(copy);
      event.pending_webhooks += 1;
      this.#hold(copy);
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
    this.#hurried += 1;
    this.#release();
    for (const delivery of this.#timers.keys()) this.#after(delivery, 0);
    await this.#until(() => this.#pending.size === 0);
    this.#hurried -= 1;
  }

  /** Resolve when nothing is left to deliver, or when the time is over: was it idle? */
  idle(timeoutMs: number): Promise<boolean> {
    return this.#until(() => this.#pending.size === 0, timeoutMs);
  }

  /** Resolve when every endpoint has acknowledged the event, or when the time is over. */
  acknowledged(event: StripeEvent, timeoutMs: number): Promise<boolean> {
    return this.#until(() => ![...this.#pending].some((delivery) => delivery.event === event), timeoutMs);
  }

  /** Forget everything that is under way, and be reliable again. */
  reset(): void {
    clearTimeout(this.#windowTimer);
    this.#windowTimer = undefined;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#held = [];
    this.#pending.clear();
    this.#deliveries = [];
    this.#settings = defaults;
    this.#changed();
  }

  close(): void {
    this.#closed = true;
    this.reset();
    this.#sender.close();
  }

  #hold(delivery: Delivery): void {
    this.#pending.add(delivery);
    const { reorder } = this.#settings;
    if (!reorder) return this.#dispatch(delivery);
    this.#held.push(delivery);
    if (this.#held.length >= (reorder === true ? windowSize : reorder)) return this.#release();
    this.#windowTimer ??= setTimeout(() => this.#release(), windowMs);
  }

  #release(): void {
    clearTimeout(this.#windowTimer);
    this.#windowTimer = undefined;
    const held = this.#random.shuffled(this.#held);
    this.#held = [];
    for (const delivery of held) this.#dispatch(delivery);
  }

  #dispatch(delivery: Delivery): void {
    const [least, most] = this.#settings.delay_ms;
    this.#after(delivery, this.#hurried > 0 ? 0 : this.#random.between(least, most));
  }

  #after(delivery: Delivery, ms: number): void {
    clearTimeout(this.#timers.get(delivery));
    const timer = setTimeout(() => {
      this.#timers.delete(delivery);
      void this.#attempt(delivery);
    }, ms);
    this.#timers.set(delivery, timer);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { event, endpoint, attempts } = delivery;
    const nowMs = this.#now();
    const body = JSON.stringify(event, null, 2);
    const status = await this.#sender.post(
      endpoint.url,
      body,
      {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signatureHeader(body, endpointSecrets.get(endpoint) ?? '', Math.floor(nowMs / 1000)),
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      this.#settings.timeout_ms,
    );
    if (!this.#pending.has(delivery)) return;
    attempts.push({ at: nowMs, status });
    if (status !== null && status >= 200 && status < 300) return this.#close(delivery, 'delivered');
    const wait = this.#settings.retry_ms[attempts.length - 1];
    this.#log(`webhook ${event.type} to ${endpoint.url}: ${status ?? 'no answer'}`);
    if (wait === undefined || endpoint.status !== 'enabled') return this.#close(delivery, 'failed');
    this.#after(delivery, this.#hurried > 0 ? Math.min(wait, hurryMs) : wait);
  }

  #close(delivery: Delivery, state: 'delivered' | 'failed'): void {
    delivery.state = state;
    if (state === 'delivered') delivery.event.pending_webhooks -= 1;
    this.#pending.delete(delivery);
    this.#changed();
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #until(reached: () => boolean, timeoutMs?: number): Promise<boolean> {
    return new Promise((resolve) => {
      const look = (late: boolean): void => {
        const there = reached() || this.#closed;
        if (!there && !late) return;
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        resolve(there);
      };
      const watcher = (): void => look(false);
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => look(true), timeoutMs);
      this.#watchers.add(watcher);
      watcher();
    });
  }
}

function listens(endpoint: WebhookEndpoint, type: string): boolean {
  return endpoint.enabled_events.includes('*') || endpoint.enabled_events.includes(type);
}
