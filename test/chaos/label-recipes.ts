import type { Fault } from '#src/dev/simulators/shippo/control.ts';
import type { ShippingAccountInput } from '#src/domain/shipping/index.ts';
import type { Desk } from './label-desk.ts';

/** Something that can happen to one order: what the provider does to its requests, once each, and people to its label. */
export interface Recipe {
  readonly name: string;
  readonly faults: readonly Omit<Fault, 'account'>[];
  /** The store hears nothing of the provider by itself. */
  readonly isDeaf?: boolean;
  /** What comes of a purchase that the provider leaves undecided. */
  readonly decides?: 'SUCCESS' | 'ERROR';
  readonly account?: Partial<ShippingAccountInput>;
  /** Nobody presses Retry on the board before the sweeps had their turn. */
  readonly isUnattended?: boolean;
  /** What people do, after the label was asked for. It ends with one label that is bought. */
  readonly people?: (desk: Desk) => Promise<void>;
}

const buying = (kind: Fault['kind'], more: Partial<Fault> = {}) => ({ match: 'POST /transactions', kind, ...more });
const looking = (kind: Fault['kind'], more: Partial<Fault> = {}) => ({ match: 'GET /transactions', kind, ...more });
const quoting = (kind: Fault['kind'], more: Partial<Fault> = {}) => ({ match: 'POST /shipments', kind, ...more });
const later = { status: 429, retry_after: 1 };
const closed = { status: 401 };

/** The situations of src/domain/shipping/README.md. Where a reply is lost, and where a process dies, is not written here: everywhere. */
export const recipes: readonly Recipe[] = [
  { name: 'all is well', faults: [] },
  { name: 'the provider tells nothing by itself', faults: [], isDeaf: true },
  { name: 'the purchase never arrives', faults: [buying('reset_before')], isDeaf: true },
  { name: 'the answer of the purchase is lost', faults: [buying('reset_after')], isDeaf: true },
  {
    name: 'the answer and the look are lost, and the provider tells',
    faults: [buying('reset_after'), looking('status')],
  },
  {
    name: 'a purchase that shows late is made again',
    faults: [buying('reset_after'), looking('unlisted', { times: 2 })],
    isDeaf: true,
  },
  {
    name: 'two purchases show late, and are looked for together',
    isDeaf: true,
    faults: [buying('reset_after', { times: 2 }), looking('unlisted', { times: 2 })],
  },
  {
    name: 'the answer is lost, and the looks as well until it is given up',
    isDeaf: true,
    isUnattended: true,
    faults: [buying('reset_after'), looking('status', { times: 6 })],
  },
  { name: 'the purchase is decided late', faults: [buying('queued')], isDeaf: true, decides: 'SUCCESS' },
  { name: 'the purchase is decided late, and the provider tells', faults: [buying('queued')], decides: 'SUCCESS' },
  { name: 'the purchase is refused late', faults: [buying('queued')], decides: 'ERROR', isDeaf: true },
  { name: 'the answer has a word that nobody knows', faults: [buying('unknown_enum')] },
  { name: 'the carrier is down', faults: [buying('transaction_error', { text: 'The carrier API timed out.' })] },
  { name: 'the carrier refuses', faults: [buying('transaction_error', { text: 'This label is not sold.' })] },
  { name: 'there are no rates', faults: [quoting('no_rates')] },
  { name: 'the provider fails at the quote', faults: [quoting('status', { status: 503 })] },
  { name: 'the provider says later', faults: [quoting('status', later), buying('status', later)] },
  {
    name: 'the provider says later, and not when',
    faults: [quoting('status', { status: 429 }), buying('status', { status: 429 })],
  },
  {
    name: 'the provider says later at the look',
    faults: [buying('reset_after'), looking('status', later)],
    isDeaf: true,
  },
  { name: 'the account does not open for a quote', faults: [quoting('status', closed)] },
  { name: 'the account does not open for a purchase', faults: [buying('status', closed)] },
  {
    name: 'the account does not open for a look',
    faults: [buying('reset_after'), looking('status', closed)],
    isDeaf: true,
  },
  {
    name: 'two orders wait for the account, and one is retried',
    faults: [quoting('status', closed)],
    isUnattended: true,
    async people(desk) {
      await desk.untilAtRest();
      const other = await desk.another();
      await other.untilAtRest();
      await desk.retry();
      await other.until('purchased');
    },
  },
  {
    name: 'somebody chooses a rate above the cap',
    faults: [],
    account: { label_cost_cap_cents: 1 },
    async people(desk) {
      await desk.untilAtRest();
      await desk.chooseRate();
    },
  },
  {
    name: 'somebody voids the label and wants another',
    faults: [],
    async people(desk) {
      await desk.until('purchased');
      await desk.void();
      await desk.requestAgain();
    },
  },
  {
    name: 'somebody voids the label, and the provider is away',
    faults: [{ match: 'POST /refunds', kind: 'reset_after' }],
    async people(desk) {
      await desk.until('purchased');
      await desk.void();
      await desk.requestAgain();
    },
  },
  {
    name: 'the order is refunded, and paid after all',
    faults: [],
    async people(desk) {
      await desk.until('purchased');
      await desk.refund();
      await desk.pay();
      await desk.requestAgain();
    },
  },
  {
    name: "somebody gives the label back in the provider's own pages",
    faults: [],
    async people(desk) {
      await desk.until('purchased');
      await desk.giveBackElsewhere();
      await desk.retry();
    },
  },
  {
    name: 'somebody gives the label back there, and the provider does not tell',
    faults: [],
    isDeaf: true,
    async people(desk) {
      await desk.until('purchased');
      await desk.giveBackElsewhere();
      await desk.retry();
    },
  },
  {
    name: 'the parcel moves',
    faults: [],
    async people(desk) {
      await desk.until('purchased');
      await desk.moveParcel();
    },
  },
  {
    name: 'the parcel is asked about',
    faults: [],
    isDeaf: true,
    async people(desk) {
      await desk.until('purchased');
      await desk.letHoursPass();
      await desk.moveParcel();
    },
  },
  {
    name: 'the parcel is asked about while the account does not open',
    faults: [],
    isDeaf: true,
    isUnattended: true,
    async people(desk) {
      await desk.until('purchased');
      await desk.closeAccount();
      const other = await desk.another();
      await other.untilAtRest();
      await desk.letHoursPass();
      await other.retry();
      await other.until('purchased');
    },
  },
];

/** The same, with one more reply lost: that to the `nth` request of this kind, before anything was done, or after. */
export function losing(
  recipe: Recipe,
  { match, nth }: { match: string; nth: number },
  kind: 'reset_before' | 'reset_after',
): Recipe {
  const own = recipe.faults.filter((fault) => fault.match === match);
  const others = recipe.faults.filter((fault) => fault.match !== match);
  // Those that the recipe itself spoils come first, and so many after them go through.
  const through = nth - 1 - own.reduce((sum, { times = 1 }) => sum + times, 0);
  const passing = through > 0 ? [{ match, kind: 'delay' as const, ms: 0, times: through }] : [];
  const lost = { match, kind };
  return {
    ...recipe,
    name: `${recipe.name}; the reply to ${match} is lost ${kind === 'reset_before' ? 'before' : 'after'} it is done (${nth})`,
    faults: [...others, ...(through < 0 ? [lost, ...own] : [...own, ...passing, lost])],
  };
}
