import type Stripe from 'stripe';
import type { PaymentGateway } from '#src/domain/ports/payment-gateway.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { type Caller, newBudget } from './caller.ts';

type AccountCalls = Pick<PaymentGateway, 'checkAccount' | 'isTaxActive' | 'readClock'>;

/** What the service reads, by the names that Stripe gives to the permissions of restricted keys. */
const reads: Readonly<Record<string, (stripe: Stripe, options: Stripe.RequestOptions) => Promise<unknown>>> = {
  'Charges and Refunds': (stripe, options) => stripe.refunds.list({ limit: 1 }, options),
  'Checkout Sessions': (stripe, options) => stripe.checkout.sessions.list({ limit: 1 }, options),
  Coupons: (stripe, options) => stripe.coupons.list({ limit: 1 }, options),
  Customers: (stripe, options) => stripe.customers.list({ limit: 1 }, options),
  Disputes: (stripe, options) => stripe.disputes.list({ limit: 1 }, options),
  Events: (stripe, options) => stripe.events.list({ limit: 1 }, options),
  Invoices: (stripe, options) => stripe.invoices.list({ limit: 1 }, options),
  PaymentIntents: (stripe, options) => stripe.paymentIntents.list({ limit: 1 }, options),
  Subscriptions: (stripe, options) => stripe.subscriptions.list({ limit: 1 }, options),
  'Webhook Endpoints': (stripe, options) => stripe.webhookEndpoints.list({ limit: 1 }, options),
};

export function accountCalls(stripe: Stripe, call: Caller): AccountCalls {
  return {
    async checkAccount(account, signal) {
      const budget = newBudget(account);
      const denied: { permission: string; error: ProviderError }[] = [];
      // One after the other: ten that get no response at once would open the circuit of the store's shoppers.
      for (const [permission, read] of Object.entries(reads)) {
        try {
          const operation = `check of ${permission}`;
          await call({ account, operation, budget, signal }, (options) => read(stripe, options));
        } catch (error) {
          if (!(error instanceof ProviderError) || error.failure !== 'denied') throw error;
          denied.push({ permission, error });
        }
      }
      if (denied[0] && denied.length === Object.keys(reads).length) throw denied[0].error;
      return denied.map(({ permission }) => permission);
    },

    async isTaxActive(account, signal) {
      const settings = await call({ account, operation: 'tax.settings.retrieve', signal }, (options) =>
        stripe.tax.settings.retrieve({}, options),
      );
      return settings.status === 'active';
    },

    async readClock(account, signal) {
      const page = await call({ account, operation: 'events.list', signal }, (options) =>
        stripe.events.list({ limit: 1 }, options),
      );
      const date = Date.parse(page.lastResponse.headers['date'] ?? '');
      return Number.isNaN(date) ? undefined : new Date(date);
    },
  };
}
