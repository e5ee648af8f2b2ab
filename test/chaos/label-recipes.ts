import type { Fault } from '#src/dev/simulators/shippo/control.ts';
import type { ShippingAccountInput } from '#src/domain/shipping/index.ts';
import type { OrderActions } from './label-actions.ts';

/** A situation of one order: the provider's faults, once each, and what operators do with its label. */
export interface Recipe {
  readonly name: string;
  readonly faults: readonly Omit<Fault, 'account'>[];
  /** The store gets no webhooks of the provider. */
  readonly hasNoWebhooks?: boolean;
  /** The outcome of a purchase that the provider leaves queued. */
  readonly resolvesTo?: 'SUCCESS' | 'ERROR';
  readonly account?: Partial<ShippingAccountInput>;
  /** No operator presses Retry on the board before the sweeps ran. */
  readonly isUnattended?: boolean;
  /** What operators do after the label was requested. It ends with one purchased label. */
  readonly operate?: (actions: OrderActions) => Promise<void>;
}

const buying = (kind: Fault['kind'], more: Partial<Fault> = {}) => ({ match: 'POST /transactions', kind, ...more });
const listing = (kind: Fault['kind'], more: Partial<Fault> = {}) => ({ match: 'GET /transactions', kind, ...more });
const quoting = (kind: Fault['kind'], more: Partial<Fault> = {}) => ({ match: 'POST /shipments', kind, ...more });
const rateLimited = { status: 429, retry_after: 1 };
const denied = { status: 401 };

/**
 * The situations of src/domain/shipping/README.md. Lost responses and kills are not part of them: they happen
 * everywhere.
 */
export const recipes: readonly Recipe[] = [
  { name: 'no fault', faults: [] },
  { name: 'the provider sends no webhooks', faults: [], hasNoWebhooks: true },
  { name: 'the purchase never arrives', faults: [buying('reset_before')], hasNoWebhooks: true },
  { name: 'the response of the purchase is lost', faults: [buying('reset_after')], hasNoWebhooks: true },
  {
    name: 'the response and the lookup are lost, and a webhook arrives',
    faults: [buying('reset_after'), listing('status')],
  },
  {
    name: 'a purchase that is listed late is repeated',
    faults: [buying('reset_after'), listing('unlisted', { times: 2 })],
    hasNoWebhooks: true,
  },
  {
    name: 'two purchases are listed late, and are looked up together',
    hasNoWebhooks: true,
    faults: [buying('reset_after', { times: 2 }), listing('unlisted', { times: 2 })],
  },
  {
    name: 'the response is lost, and every lookup until the last attempt',
    hasNoWebhooks: true,
    isUnattended: true,
    faults: [buying('reset_after'), listing('status', { times: 6 })],
  },
  { name: 'the purchase is resolved late', faults: [buying('queued')], hasNoWebhooks: true, resolvesTo: 'SUCCESS' },
  { name: 'the purchase is resolved late, and a webhook arrives', faults: [buying('queued')], resolvesTo: 'SUCCESS' },
  { name: 'the purchase is rejected late', faults: [buying('queued')], resolvesTo: 'ERROR', hasNoWebhooks: true },
  { name: 'the response has an unknown status', faults: [buying('unknown_enum')] },
  { name: 'the carrier is down', faults: [buying('transaction_error', { text: 'The carrier API timed out.' })] },
  { name: 'the carrier rejects the label', faults: [buying('transaction_error', { text: 'This label is not sold.' })] },
  { name: 'there are no rates', faults: [quoting('no_rates')] },
  { name: 'the provider fails at the quote', faults: [quoting('status', { status: 503 })] },
  { name: 'the provider limits the rate', faults: [quoting('status', rateLimited), buying('status', rateLimited)] },
  {
    name: 'the provider limits the rate without Retry-After',
    faults: [quoting('status', { status: 429 }), buying('status', { status: 429 })],
  },
  {
    name: 'the provider limits the rate of the lookup',
    faults: [buying('reset_after'), listing('status', rateLimited)],
    hasNoWebhooks: true,
  },
  { name: 'the account is denied for a quote', faults: [quoting('status', denied)] },
  { name: 'the account is denied for a purchase', faults: [buying('status', denied)] },
  {
    name: 'the account is denied for a lookup',
    faults: [buying('reset_after'), listing('status', denied)],
    hasNoWebhooks: true,
  },
  {
    name: 'two orders wait for the account, and one is retried',
    faults: [quoting('status', denied)],
    isUnattended: true,
    async operate(actions) {
      await actions.untilAtRest();
      const other = await actions.another();
      await other.untilAtRest();
      await actions.retry();
      await other.until('purchased');
    },
  },
  {
    name: 'an operator chooses a rate above the cap',
    faults: [],
    account: { label_cost_cap_cents: 1 },
    async operate(actions) {
      await actions.untilAtRest();
      await actions.chooseRate();
    },
  },
  {
    name: 'an operator voids the label and requests another',
    faults: [],
    async operate(actions) {
      await actions.until('purchased');
      await actions.void();
      await actions.requestAgain();
    },
  },
  {
    name: 'an operator voids the label, and the response is lost',
    faults: [{ match: 'POST /refunds', kind: 'reset_after' }],
    async operate(actions) {
      await actions.until('purchased');
      await actions.void();
      await actions.requestAgain();
    },
  },
  {
    name: 'the order is refunded and then paid',
    faults: [],
    async operate(actions) {
      await actions.until('purchased');
      await actions.refund();
      await actions.pay();
      await actions.requestAgain();
    },
  },
  {
    name: "an operator refunds the label in the provider's own pages",
    faults: [],
    async operate(actions) {
      await actions.until('purchased');
      await actions.refundAtProvider();
      await actions.retry();
    },
  },
  {
    name: 'an operator refunds the label there, and no webhook arrives',
    faults: [],
    hasNoWebhooks: true,
    async operate(actions) {
      await actions.until('purchased');
      await actions.refundAtProvider();
      await actions.retry();
    },
  },
  {
    name: 'the parcel moves',
    faults: [],
    async operate(actions) {
      await actions.until('purchased');
      await actions.moveParcel();
    },
  },
  {
    name: 'the tracking is polled',
    faults: [],
    hasNoWebhooks: true,
    async operate(actions) {
      await actions.until('purchased');
      await actions.pollLater();
      await actions.moveParcel();
    },
  },
  {
    name: 'the tracking is polled while the account is denied',
    faults: [],
    hasNoWebhooks: true,
    isUnattended: true,
    async operate(actions) {
      await actions.until('purchased');
      await actions.closeAccount();
      const other = await actions.another();
      await other.untilAtRest();
      await actions.pollLater();
      await other.retry();
      await other.until('purchased');
    },
  },
];

/** The recipe with one more lost response: of the `nth` request of this kind, before its effect or after. */
export function withLostReply(
  recipe: Recipe,
  { match, nth }: { match: string; nth: number },
  kind: 'reset_before' | 'reset_after',
): Recipe {
  const own = recipe.faults.filter((fault) => fault.match === match);
  const others = recipe.faults.filter((fault) => fault.match !== match);
  // The faults of the recipe itself come first; the following requests succeed.
  const through = nth - 1 - own.reduce((sum, { times = 1 }) => sum + times, 0);
  const passing = through > 0 ? [{ match, kind: 'delay' as const, ms: 0, times: through }] : [];
  const lost = { match, kind };
  return {
    ...recipe,
    name:
      `${recipe.name}; the response to ${match} is lost ` +
      `${kind === 'reset_before' ? 'before' : 'after'} its effect (${nth})`,
    faults: [...others, ...(through < 0 ? [lost, ...own] : [...own, ...passing, lost])],
  };
}
