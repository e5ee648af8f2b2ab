import type {
  CreatedSession,
  PaymentEvent,
  PaymentGateway,
  SessionRequest,
} from '#src/domain/ports/payment-gateway.ts';
import type {
  InvoiceSnapshot,
  PaymentSnapshot,
  SessionSnapshot,
  SubscriptionSnapshot,
} from '#src/domain/ports/payment-snapshots.ts';
import { randomText } from '#src/lib/crypto.ts';
import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';

type Method = Exclude<keyof PaymentGateway, 'verifyEvent'>;

/** How a call goes: it fails, or it fails after it had its effect. */
export interface Misfortune {
  readonly failure: ProviderFailure;
  readonly after?: boolean;
  readonly code?: string;
}

export interface FakePayments extends PaymentGateway {
  /** The calls in order. */
  readonly calls: Method[];
  /** Requests by the key they came with. */
  readonly requests: Map<string, SessionRequest>;
  readonly sessions: Map<string, SessionSnapshot>;
  readonly subscriptions: Map<string, SubscriptionSnapshot>;
  /** The keys of the changes of subscriptions: a repeated one has no effect. */
  readonly subscriptionChanges: Set<string>;
  readonly invoices: Map<string, InvoiceSnapshot>;
  readonly payments: Map<string, PaymentSnapshot>;
  /** The ids of the refunds that were made. */
  readonly refunds: Set<string>;
  readonly events: PaymentEvent[];
  /** Whether the accounts can calculate tax. */
  isTaxSetUp: boolean;
  /** What `checkAccount` returns. */
  missingPermissions: string[];
  /** How the next calls of a kind go; after them all is well. */
  readonly misfortunes: Partial<Record<Method, Misfortune[]>>;
  /** Something to do while a call is on its way. */
  meanwhile: ((method: Method) => Promise<void>) | undefined;
  /** The shopper, or the bank, changes how a session stands. */
  change(sessionId: string, change: Partial<SessionSnapshot>): SessionSnapshot;
  /** The session that was opened for an order. */
  sessionOf(orderId: string): SessionSnapshot;
  /** Add or replace a payment, of 38 dollars by default. `reference`: what is fetched, such as one of its disputes. */
  setPayment(
    payment: Pick<PaymentSnapshot, 'paymentId' | 'tenantId' | 'orderId'> & Partial<PaymentSnapshot>,
    reference?: string,
  ): void;
}

const whole = {
  shippingCents: 0,
  taxCents: 0,
  creditCents: 0,
  name: null,
  phone: null,
  address: null,
  customerId: null,
  paymentId: null,
  subscriptionId: null,
};

const untouched = {
  environment: 'test',
  invoiceId: null,
  currency: 'USD',
  amountCents: 3800,
  refundedCents: 0,
  ownRefunds: [],
  failedRefunds: [],
  refunds: [],
  isDisputed: false,
  lostCents: 0,
};

/** A payment provider in memory. It fails when a test sets it to. */
export function fakePaymentGateway(): FakePayments {
  const fail = ({ failure, code }: Misfortune) =>
    new ProviderError('fake', failure, `The provider: ${failure}.`, { code });

  async function call<Result>(method: Method, execute: () => Result): Promise<Result> {
    fake.calls.push(method);
    const misfortune = fake.misfortunes[method]?.shift();
    if (misfortune && !misfortune.after) throw fail(misfortune);
    const result = execute();
    await fake.meanwhile?.(method);
    if (misfortune) throw fail(misfortune);
    return result;
  }

  function need<Row>(rows: Map<string, Row>, id: string): Row {
    const row = rows.get(id);
    if (!row) throw fail({ failure: 'missing' });
    return row;
  }

  function create(request: SessionRequest, key: string): CreatedSession {
    const known = [...fake.sessions.values()].find(
      ({ orderId }) => fake.requests.has(key) && orderId === request.orderId,
    );
    if (known) return { sessionId: known.sessionId, url: known.url ?? '' };
    fake.requests.set(key, request);
    const sessionId = `cs_${randomText(16)}`;
    const url = `https://pay.example/${sessionId}`;
    const subtotalCents = request.lines.reduce((sum, line) => sum + line.unitPriceCents * line.quantity, 0);
    fake.sessions.set(sessionId, {
      ...whole,
      sessionId,
      url,
      state: 'open',
      tenantId: request.tenantId,
      orderId: request.orderId,
      environment: request.environment,
      currency: request.currency,
      subtotalCents,
      discountCents: request.discountCents,
      totalCents: subtotalCents - request.discountCents,
      email: request.customerEmail,
    });
    return { sessionId, url };
  }

  const fake: FakePayments = {
    calls: [],
    requests: new Map(),
    sessions: new Map(),
    subscriptions: new Map(),
    subscriptionChanges: new Set(),
    invoices: new Map(),
    payments: new Map(),
    refunds: new Set(),
    events: [],
    isTaxSetUp: true,
    missingPermissions: [],
    misfortunes: {},
    meanwhile: undefined,

    change(sessionId, change) {
      const session = { ...need(fake.sessions, sessionId), ...change };
      fake.sessions.set(sessionId, session);
      return session;
    },
    sessionOf(orderId) {
      const session = [...fake.sessions.values()].find((candidate) => candidate.orderId === orderId);
      if (!session) throw new Error(`There is no session of ${orderId}.`);
      return session;
    },
    setPayment(payment, reference = payment.paymentId) {
      fake.payments.set(reference, { ...untouched, ...payment });
    },

    checkAccount: () => call('checkAccount', () => fake.missingPermissions),
    isTaxActive: () => call('isTaxActive', () => fake.isTaxSetUp),
    readClock: () => call('readClock', () => undefined),
    createSession: (_account, request, key) => call('createSession', () => create(request, key)),
    fetchSession: (_account, id) => call('fetchSession', () => need(fake.sessions, id)),
    findSession: (_account, orderId) =>
      call('findSession', () => [...fake.sessions.values()].find((session) => session.orderId === orderId)),
    removeDiscount: (_account, _orderId) => call('removeDiscount', () => undefined),
    expireSession: (_account, id) =>
      call('expireSession', () => {
        const session = need(fake.sessions, id);
        return session.state === 'open' ? fake.change(id, { state: 'expired' }) : session;
      }),
    listSessions: () => call('listSessions', () => ({ sessions: [...fake.sessions.values()], next: null })),
    findOrCreateCustomer: (_account, { email }) => call('findOrCreateCustomer', () => `cus_of_${email}`),
    fetchSubscription: (_account, id) => call('fetchSubscription', () => need(fake.subscriptions, id)),
    changeSubscription: (_account, id, _change, key) =>
      call('changeSubscription', () => {
        need(fake.subscriptions, id);
        fake.subscriptionChanges.add(key);
      }),
    fetchInvoice: (_account, id) => call('fetchInvoice', () => need(fake.invoices, id)),
    listPaidInvoices: () =>
      call('listPaidInvoices', () => ({
        invoices: [...fake.invoices.values()].filter(({ isPaid }) => isPaid),
        next: null,
      })),
    listReversals: (_account, kind) =>
      call('listReversals', () => ({ references: kind === 'refund' ? [...fake.payments.keys()] : [], next: null })),
    fetchPayment: (_account, id) => call('fetchPayment', () => need(fake.payments, id)),
    refundPayment: (_account, { paymentId, amountCents, refundId }) =>
      call('refundPayment', () => {
        const payment = need(fake.payments, paymentId);
        const isNew = !fake.refunds.has(refundId);
        const refunded = { ...payment, refundedCents: payment.refundedCents + (isNew ? amountCents : 0) };
        fake.refunds.add(refundId);
        fake.payments.set(paymentId, refunded);
      }),
    openBillingPortal: (_account, customerId) =>
      call('openBillingPortal', () => `https://portal.example/${customerId}`),
    createEndpoint: (_account, { ownName }) =>
      call('createEndpoint', () => ({ endpointId: `we_${ownName}`, secret: `whsec_${ownName}` })),
    listEndpoints: () => call('listEndpoints', () => []),
    endEndpoint: () => call('endEndpoint', () => undefined),
    listEvents: () => call('listEvents', () => ({ events: [...fake.events], next: null })),
    verifyEvent(rawBody, signature, secrets) {
      if (!secrets.includes(signature)) return 'forged';
      const { createdAt, ...event } = JSON.parse(rawBody.toString('utf8'));
      return { ...event, createdAt: new Date(createdAt) };
    },
  };
  return fake;
}
