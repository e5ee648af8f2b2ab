import type { TestFn } from 'ava';

import { type StripeControl, stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { handledEventTypes } from '#src/providers/stripe/events.ts';
import type { TestClock } from './clock.ts';
import { type BuiltAccount, buildPaymentAccount } from './factories/payments.ts';
import { type ApiContext, useApi } from './use-api.ts';

export interface StripeContext extends ApiContext {
  stripe: StripeControl;
  /** The test's own store's account at the simulator, with an endpoint that calls the test's own application. */
  account: BuiltAccount;
}

/** What the shopper types on the hosted page. */
export const shopper = {
  email: 'ada@example.com',
  name: 'Ada Wells',
  phone: '2125550100',
  address: { line1: '40 W 23rd St', city: 'New York', state: 'NY', postal_code: '10010', country: 'US' },
};

/**
 * `useApi`, with the real Stripe SDK talking to a simulator whose time is the test's. Webhooks arrive at the
 * application over HTTP, signed; running their jobs is the test's. Tests of such a file run one after another.
 */
export async function useStripe(
  test: TestFn<StripeContext>,
  environment: Record<string, string> = {},
  ports: Partial<Ports> = {},
  { isRecorded = true } = {},
): Promise<void> {
  let clock: TestClock | undefined;
  const simulator = await startStripeSimulator({ now: () => (clock?.now() ?? new Date()).getTime(), seed: 7 });
  const stripe = stripeControl(simulator.url);

  useApi(test as unknown as TestFn<ApiContext>, {
    environment: { STRIPE_API_BASE: simulator.url, ...environment },
    ports,
    isRecorded,
  });
  test.serial.beforeEach(async (t) => {
    ({ clock } = t.context);
    const secretKey = `sk_test_${randomText(24)}`;
    const account = await buildPaymentAccount(t.context.ctx, { secret_key: secretKey });
    await stripe.addWebhookEndpoint(secretKey, {
      url: `${t.context.api.url}/api/webhooks/stripe/${t.context.tenant.slug}`,
      secret: account.webhookSecret,
      events: handledEventTypes,
    });
    Object.assign(t.context, { stripe, account });
  });
  // What is still on its way would knock at an application that is gone.
  test.afterEach.always(() => stripe.reset());
  test.after.always(() => simulator.close());
}
