import type Stripe from 'stripe';

import {
  notSent,
  type PaymentAccount,
  type PaymentGateway,
  type SessionRequest,
  storedFailure,
} from '#src/domain/ports/payment-gateway.ts';
import type { SessionSnapshot } from '#src/domain/ports/payment-snapshots.ts';
import { minutes } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { type Caller, newBudget, type SharedOptions } from './caller.ts';
import { customerMetadata, metadataIn, usableCustomers } from './metadata.ts';
import { nextOf, pageParams } from './pages.ts';
import { couponIdOf, couponParamsOf, sessionParamsOf } from './session-params.ts';
import { idOf, sessionSnapshotOf } from './snapshots.ts';

type SessionCalls = Pick<
  PaymentGateway,
  | 'createSession'
  | 'removeDiscount'
  | 'fetchSession'
  | 'findSession'
  | 'expireSession'
  | 'listSessions'
  | 'findOrCreateCustomer'
>;

type SessionPage = Awaited<ReturnType<SessionCalls['listSessions']>>;

/** How many pages one search reads. */
const findPagesMax = 20;

export function sessionCalls(stripe: Stripe, call: Caller): SessionCalls {
  /** A coupon that exists already was created by an earlier attempt for the same order. */
  async function createCoupon(request: SessionRequest, shared: SharedOptions & { key: string }): Promise<void> {
    const params = couponParamsOf(request);
    try {
      await call({ ...shared, operation: 'coupons.create', key: `${shared.key}:coupon` }, (options) =>
        stripe.coupons.create(params, options),
      );
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.code === 'resource_already_exists') return;
      // Whatever became of the coupon, the session was not requested. What is stored would come again with each request.
      if (error.failure === 'away' && error.code !== storedFailure)
        throw new ProviderError('stripe', 'away', error.message, { code: notSent });
      throw error;
    }
  }

  async function fetchSession(account: PaymentAccount, id: string, signal?: AbortSignal): Promise<SessionSnapshot> {
    const shared = { account, budget: newBudget(account), signal };
    const session = await call({ ...shared, operation: 'sessions.retrieve' }, (options) =>
      stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent', 'invoice.payments'] }, options),
    );
    return sessionSnapshotOf(session, await fetchIntent(session, shared));
  }

  /** In subscription mode the first invoice has the payment; it matters only while the session is unpaid. */
  async function fetchIntent(
    session: Stripe.Checkout.Session,
    shared: SharedOptions,
  ): Promise<Stripe.PaymentIntent | null> {
    const { payment_intent: intent, status, payment_status: paid } = session;
    if (typeof intent === 'object' && intent !== null) return intent;
    const invoice = idOf(session.invoice);
    if (status !== 'complete' || paid !== 'unpaid' || !invoice) return null;
    const payments = await call({ ...shared, operation: 'invoicePayments.list' }, (options) =>
      stripe.invoicePayments.list({ invoice, limit: 1, expand: ['data.payment.payment_intent'] }, options),
    );
    const [first] = payments.data.map(({ payment }) => payment.payment_intent);
    return typeof first === 'object' ? first : null;
  }

  const listSessions: SessionCalls['listSessions'] = async (account, range, signal) => {
    const page = await call({ account, operation: 'sessions.list', signal }, (options) =>
      stripe.checkout.sessions.list(pageParams(range), options),
    );
    return { sessions: page.data.map((session) => sessionSnapshotOf(session)), next: nextOf(page) };
  };

  /** Whether a customer has subscribed at another store with the same account, where it shows what belongs to that. */
  async function isOfAnotherStore(customer: string, shared: SharedOptions): Promise<boolean> {
    const { data } = await call({ ...shared, operation: 'subscriptions.list' }, (options) =>
      stripe.subscriptions.list({ customer, status: 'all', limit: 100 }, options),
    );
    return data.some(({ metadata }) => ![null, shared.account.tenantId].includes(metadataIn(metadata).tenantId));
  }

  /**
   * Make a customer of no store this one's: from then on no other uses it, and this one finds it at once. All stores with
   * the account send the same key, with which Stripe accepts only what came first.
   * @returns whether no other store was first
   */
  async function takeCustomer(id: string, shared: SharedOptions): Promise<boolean> {
    const metadata = customerMetadata(shared.account);
    try {
      await call({ ...shared, operation: 'customers.update', key: `customer:${id}` }, (options) =>
        stripe.customers.update(id, { metadata }, options),
      );
      return true;
    } catch (error) {
      if (error instanceof ProviderError && error.code === storedFailure) return false;
      throw error;
    }
  }

  return {
    fetchSession,
    listSessions,

    async createSession(account, request, key, signal) {
      const shared = { account, key, budget: newBudget(account), signal };
      if (request.discountCents > 0) await createCoupon(request, shared);
      const params = sessionParamsOf(request);
      const session = await call({ ...shared, operation: 'sessions.create' }, (options) =>
        stripe.checkout.sessions.create(params, options),
      );
      return { sessionId: session.id, url: session.url ?? '' };
    },

    async removeDiscount(account, orderId, signal) {
      try {
        await call({ account, operation: 'coupons.delete', signal }, (options) =>
          stripe.coupons.del(couponIdOf({ orderId }), {}, options),
        );
      } catch (error) {
        if (!(error instanceof ProviderError) || error.failure !== 'missing') throw error;
      }
    },

    async findSession(account, orderId, since, signal) {
      const range = { from: new Date(since.getTime() - minutes(1)), to: new Date(since.getTime() + minutes(60 * 24)) };
      let next: string | null | undefined;
      for (let page = 0; page < findPagesMax && next !== null; page += 1) {
        const found: SessionPage = await listSessions(account, { ...range, ...(next && { next }) }, signal);
        const session = found.sessions.find((candidate) => candidate.orderId === orderId);
        // A listed session lacks its payment.
        if (session) return fetchSession(account, session.sessionId, signal);
        next = found.next;
      }
      if (next === null) return undefined;
      throw new ProviderError('stripe', 'away', 'Stripe: too many sessions were created since to search them all.');
    },

    async expireSession(account, sessionId, signal) {
      try {
        const session = await call({ account, operation: 'sessions.expire', signal }, (options) =>
          stripe.checkout.sessions.expire(sessionId, {}, options),
        );
        return sessionSnapshotOf(session);
      } catch (error) {
        if (error instanceof ProviderError && error.failure === 'refused')
          return fetchSession(account, sessionId, signal);
        throw error;
      }
    },

    async findOrCreateCustomer(account, { email, enteredEmail, currency }, key, signal) {
      const shared = { account, budget: newBudget(account), signal };
      // Stripe's search lags behind by minutes. Its list does not, but it compares emails case-sensitively.
      for (const spelling of new Set([email, enteredEmail])) {
        const found = await call({ ...shared, operation: 'customers.list' }, (options) =>
          stripe.customers.list({ email: spelling, limit: 100 }, options),
        );
        const { own, unowned } = usableCustomers(found.data, { tenantId: account.tenantId, currency });
        if (own) return own.id;
        for (const { id } of unowned) {
          if (!(await isOfAnotherStore(id, shared)) && (await takeCustomer(id, shared))) return id;
        }
      }
      const made = await call({ ...shared, operation: 'customers.create', key }, (options) =>
        stripe.customers.create({ email, metadata: customerMetadata(account) }, options),
      );
      return made.id;
    },
  };
}
