import { Faults } from '../faults.ts';
import { Random } from '../random.ts';
import type { Fault } from './api/faults.ts';
import { RequestLog } from './api/request-log.ts';
import { Account, type AccountHost } from './state/account.ts';
import type { StripeEvent } from './state/objects.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';

export interface SimulatorOptions {
  readonly now: () => number;
  readonly seed: number;
}

/** Everything that one simulator holds in memory. */
export class SimulatorState implements AccountHost {
  /** Where the simulator is reached; known once it listens. */
  url = '';
  readonly now: () => number;
  readonly random: Random;
  readonly faults = new Faults<Fault>();
  readonly faultRandom: Random;
  readonly requests = new RequestLog();
  readonly webhooks: WebhookDispatcher;
  readonly #accounts = new Map<string, Account>();

  constructor({ now, seed }: SimulatorOptions) {
    this.now = now;
    this.random = new Random(seed);
    this.faultRandom = new Random(seed + 1);
    this.webhooks = new WebhookDispatcher({ now, seed: seed + 2 });
  }

  dispatch(account: Account, event: StripeEvent): void {
    this.webhooks.dispatch(account, event);
  }

  /** The account of a secret key, created on first use. */
  account(key: string): Account {
    const known = this.#accounts.get(key);
    if (known) return known;
    const account = new Account(this, key);
    this.#accounts.set(key, account);
    return account;
  }

  accounts(): Account[] {
    return [...this.#accounts.values()];
  }

  reset(): void {
    this.webhooks.reset();
    this.faults.clear();
    this.requests.clear();
    this.#accounts.clear();
  }
}
