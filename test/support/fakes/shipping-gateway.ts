import type {
  LabelPurchase,
  Quote,
  QuoteRequest,
  Rate,
  ShippingGateway,
  TrackingUpdate,
} from '#src/domain/ports/shipping-gateway.ts';
import { randomText } from '#src/lib/crypto.ts';
import { ProviderError } from '#src/lib/errors.ts';

/** The possible outcomes of a purchase: what the provider does, and its response. */
export type NextPurchase =
  | 'sells'
  /** The label is purchased, and the response is lost. */
  | 'sells silently'
  /** Nothing is purchased, and no response comes. */
  | 'is silent'
  /** The label is purchased, but listed only after this many lookups. */
  | { readonly sellsUnseenFor: number }
  | 'waits'
  | { readonly fails: 'address' | 'funds' | 'temporary' | 'carrier' }
  | { readonly error: ProviderError };

export const silence = () => new ProviderError('fake', 'away', 'The provider did not respond.');
export const denial = () => new ProviderError('fake', 'denied', 'The provider does not accept the key.');
export const busy = (retryAfterSeconds?: number) =>
  new ProviderError('fake', 'busy', 'Slow down.', { retryAfterSeconds });
export const rejection = (code?: string) =>
  new ProviderError('fake', 'refused', 'The provider rejected the request.', { code });

export interface FakeShipping extends ShippingGateway {
  /** The calls in order: `quote`, `buy`, `lookup`, … */
  readonly calls: string[];
  readonly quotes: QuoteRequest[];
  /** Labels that were paid for and not refunded. */
  bought(): LabelPurchase[];
  readonly refunded: string[];
  /** How the next purchases go; after them it sells. */
  nextPurchases: NextPurchase[];
  /** What the next calls of this kind throw. */
  readonly throws: { quote: Error[]; lookup: Error[]; purchase: Error[]; refund: Error[]; track: Error[] };
  rates: Rate[];
  nextQuote: Partial<Quote> | undefined;
  tracking: Map<string, TrackingUpdate>;
  /** Decide a purchase that waits. */
  decide(state: 'purchased' | 'failed'): void;
  /** Set the provider's further responses about a purchase. */
  amend(purchaseId: string, state: LabelPurchase['state']): void;
}

export function rate(given: Partial<Rate> = {}): Rate {
  return {
    id: `rate_${randomText(12)}`,
    shipmentId: 'shipment',
    carrier: 'usps',
    carrierName: 'USPS',
    service: 'Ground Advantage',
    serviceCode: 'usps_ground_advantage',
    amountCents: 842,
    currency: 'USD',
    estimatedDays: 3,
    attributes: [],
    createdAt: new Date(),
    ...given,
  };
}

/** A shipping provider in memory that sells labels, and fails when a test sets it to. */
export function fakeShippingGateway(): FakeShipping {
  const purchases: (LabelPurchase & { unseenFor: number })[] = [];
  const markers = new Map<string, string>();
  const take = (errors: Error[]) => {
    const error = errors.shift();
    if (error) throw error;
  };

  const fake: FakeShipping = {
    calls: [],
    quotes: [],
    refunded: [],
    nextPurchases: [],
    rates: [rate()],
    nextQuote: undefined,
    tracking: new Map(),
    throws: { quote: [], lookup: [], purchase: [], refund: [], track: [] },
    bought: () => purchases.filter(({ state }) => state === 'purchased'),
    decide(state) {
      const waiting = purchases.find((purchase) => purchase.state === 'undecided');
      if (waiting) Object.assign(waiting, settled(state));
    },
    amend(purchaseId, state) {
      Object.assign(purchases.find(({ id }) => id === purchaseId) ?? {}, { state });
    },

    async checkAccount() {
      fake.calls.push('check');
    },
    async quote(_account, request) {
      fake.calls.push('quote');
      fake.quotes.push(request);
      take(fake.throws.quote);
      const rates = fake.rates.map((rate) => ({ ...rate, id: `rate_${randomText(12)}` }));
      for (const { id } of rates) markers.set(id, request.marker ?? '');
      return { hasActiveCarrier: true, rates, rejection: null, ...fake.nextQuote };
    },
    async fetchRate(_account, rateId) {
      fake.calls.push('rate');
      return { rate: rate({ id: rateId }), marker: markers.get(rateId) ?? '' };
    },
    async buyLabel(_account, { rateId, marker }) {
      fake.calls.push('buy');
      const next = fake.nextPurchases.shift() ?? 'sells';
      if (next === 'is silent') throw silence();
      if (typeof next === 'object' && 'error' in next) throw next.error;
      const purchase = {
        id: `tr_${randomText(12)}`,
        rateId,
        marker,
        createdAt: new Date(),
        trackingUrl: null,
        labelUrl: `https://labels.example/${randomText(12)}.pdf`,
        unseenFor: typeof next === 'object' && 'sellsUnseenFor' in next ? next.sellsUnseenFor : 0,
        ...settled(
          next === 'waits' ? 'undecided' : typeof next === 'object' && 'fails' in next ? 'failed' : 'purchased',
        ),
      };
      if (typeof next === 'object' && 'fails' in next)
        purchase.failure = { kind: next.fails, detail: 'The carrier said no.' };
      purchases.push(purchase);
      if (next === 'sells silently' || purchase.unseenFor > 0) throw silence();
      return purchase;
    },
    async findPurchases(_account, rateId) {
      fake.calls.push('lookup');
      take(fake.throws.lookup);
      const seen = purchases.filter((purchase) => purchase.rateId === rateId && purchase.unseenFor === 0);
      for (const purchase of purchases) purchase.unseenFor = Math.max(0, purchase.unseenFor - 1);
      return seen;
    },
    async listPurchases(_account, since) {
      return purchases.filter(({ createdAt }) => !createdAt || createdAt >= since).toReversed();
    },
    async fetchPurchase(_account, purchaseId) {
      fake.calls.push('purchase');
      take(fake.throws.purchase);
      const found = purchases.find(({ id }) => id === purchaseId);
      if (!found) throw new ProviderError('fake', 'missing', 'There is no such purchase.');
      // Like the provider, it signs the link with each response.
      return { ...found, labelUrl: found.labelUrl && `${found.labelUrl}?signed-again` };
    },
    async refundPurchase(_account, purchaseId) {
      fake.calls.push('refund');
      take(fake.throws.refund);
      fake.refunded.push(purchaseId);
      const found = purchases.find(({ id }) => id === purchaseId);
      if (found) Object.assign(found, { state: 'refunded' });
    },
    async follow(_account, { trackingNumber }) {
      fake.calls.push('follow');
      take(fake.throws.track);
      return fake.tracking.get(trackingNumber) ?? { status: 'unknown', at: null };
    },
    async track(_account, { trackingNumber }) {
      fake.calls.push('track');
      take(fake.throws.track);
      return fake.tracking.get(trackingNumber) ?? { status: 'unknown', at: null };
    },
  };
  return fake;
}

function settled(
  state: LabelPurchase['state'],
): Pick<LabelPurchase, 'state' | 'trackingNumber' | 'failure'> & { failure: LabelPurchase['failure'] } {
  return { state, trackingNumber: state === 'purchased' ? `92${randomText(18)}` : null, failure: null };
}

/** A provider for a whole test file, where each store has one of its own. */
export function fakeShippingByStore(): { gateway: ShippingGateway; of(tenantId: string): FakeShipping } {
  const fakes = new Map<string, FakeShipping>();
  const of = (tenantId: string) => {
    const fake = fakes.get(tenantId) ?? fakeShippingGateway();
    fakes.set(tenantId, fake);
    return fake;
  };
  return {
    of,
    gateway: {
      checkAccount: (account, ...given) => of(account.tenantId).checkAccount(account, ...given),
      quote: (account, ...given) => of(account.tenantId).quote(account, ...given),
      fetchRate: (account, ...given) => of(account.tenantId).fetchRate(account, ...given),
      buyLabel: (account, ...given) => of(account.tenantId).buyLabel(account, ...given),
      findPurchases: (account, ...given) => of(account.tenantId).findPurchases(account, ...given),
      listPurchases: (account, ...given) => of(account.tenantId).listPurchases(account, ...given),
      fetchPurchase: (account, ...given) => of(account.tenantId).fetchPurchase(account, ...given),
      refundPurchase: (account, ...given) => of(account.tenantId).refundPurchase(account, ...given),
      follow: (account, ...given) => of(account.tenantId).follow(account, ...given),
      track: (account, ...given) => of(account.tenantId).track(account, ...given),
    },
  };
}
