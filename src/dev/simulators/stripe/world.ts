import { Account } from './account.ts';
import { PostOffice } from './events/post-office.ts';
import { Random } from './random.ts';
import { Faults } from './wire/faults.ts';
import { RequestLog } from './wire/request-log.ts';

export interface SimulatorOptions {
  readonly now: () => number;
  readonly seed: number;
  readonly log: (line: string) => void;
  readonly searchLagSeconds: number;
}

/** Everything that one simulator holds in memory. */
export class SimulatorState {
  /** Where the simulator is reached; known once it listens. */
  url = '';
  readonly now: () => number;
  readonly log: (line: string) => void;
  readonly searchLagSeconds: number;
  readonly random: Random;
  readonly faults: Faults;
  readonly requests = new RequestLog();
  readonly postOffice: PostOffice;
  readonly #accounts = new Map<string, Account>();

  constructor({ now, seed, log, searchLagSeconds }: SimulatorOptions) {
    this.now = now;
    this.log = log;
    this.searchLagSeconds = searchLagSeconds;
    this.random = new Random(seed);
    this.faults = new Faults(new Random(seed + 1));
    this.postOffice = new PostOffice({ now, log, seed: seed + 2 });
  }

  /** The account of a secret key, made on first sight. */
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

  /** The account that an object belongs to: hosted pages and control name objects by id alone. */
  ownerOf(id: string): Account | undefined {
    return this.accounts().find((account) => account.find(id));
  }

  reset(): void {
    this.postOffice.reset();
    this.faults.clear();
    this.requests.clear();
    this.#accounts.clear();
  }
}
