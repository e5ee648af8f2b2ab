import { clockSkewMaxSeconds } from '#src/database/prove-database.ts';
import { wrongModeOf } from '#src/domain/check-key-mode.ts';
import type { Context } from '#src/domain/context.ts';
import {
  checkWebhookEndpoint,
  type EndpointFault,
  isTaxPending,
  openAccount,
  readPaymentAccount,
  taxIsPending,
} from '#src/domain/payments/index.ts';
import type { PaymentAccount } from '#src/domain/ports/payment-gateway.ts';
import { Bulkhead } from '#src/lib/bulkhead.ts';
import { hours } from '#src/lib/duration.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const save = 'Set it in the payments section of the store file and apply the file.';

/** The store's account at Stripe: its key, its clock, and whether its events arrive. */
export async function checkPayments(ctx: Context): Promise<Finding[]> {
  const stored = await readPaymentAccount(ctx);
  if (!stored) return [warning('stripe', 'The store has no payment account, so it cannot sell.', save)];
  if (stored.mode !== 'direct') {
    return [fault('stripe', 'The store cannot sell in connect mode.', 'Set its own keys, in direct mode.')];
  }
  if (!stored.hasSecretKey) return [fault('stripe', 'There is no secret key.', save)];
  const account = await openAccount(ctx);
  return ofAccount.run(account.secretKey, () => checkAccount(ctx, account, stored));
}

/** Stores may share an account, and its rate limits with it: so they are checked one after the other. */
const ofAccount = new Bulkhead({
  max: 1,
  waitMs: hours(1),
  errorWhenFull: () => new Error('The checks of other stores with the same account did not end.'),
});

async function checkAccount(
  ctx: Context,
  account: PaymentAccount,
  stored: { automaticTax: boolean; silentSince: Date | null },
): Promise<Finding[]> {
  const requestedAt = ctx.clock.now().getTime();
  try {
    const providerTime = await ctx.ports.payments.readClock(account, ctx.signal);
    const between = (requestedAt + ctx.clock.now().getTime()) / 2;
    return [
      checkKind(ctx, account.secretKey),
      ...(stored.automaticTax && (await isTaxPending(ctx, account))
        ? [fault('stripe tax', taxIsPending, 'https://dashboard.stripe.com/settings/tax')]
        : []),
      ...(providerTime ? [checkClock(Math.abs(providerTime.getTime() - between) / 1000)] : []),
      ...(await checkEndpoint(ctx, stored.silentSince)),
    ];
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof DomainError)) throw error;
    return [
      error instanceof ProviderError && error.failure === 'denied'
        ? fault('stripe', 'Stripe does not accept the secret key.', save)
        : fault(
            'stripe',
            `Stripe does not respond: ${error.message}`,
            'Check that this machine can reach it. Checkout is down meanwhile.',
          ),
    ];
  }
}

/** A live key would charge real cards in the test environment; a test key would sell for nothing in the live one. */
function checkKind(ctx: Context, secretKey: string): Finding {
  const wrong = wrongModeOf(ctx, secretKey);
  return wrong
    ? fault('stripe', wrong, `Set the ${ctx.settings.appMode} key of the store.`)
    : ok('stripe', 'Stripe accepts the secret key.');
}

/** Stripe's signatures have a timestamp and are rejected if the clocks differ. */
function checkClock(skewSeconds: number): Finding {
  if (skewSeconds <= clockSkewMaxSeconds) return ok('stripe clock', 'The clocks of PostgreSQL and Stripe agree.');
  const difference = `${Math.round(skewSeconds)} seconds`;
  const message = `The clocks of PostgreSQL and Stripe differ by ${difference}, so signed events are rejected.`;
  return fault('stripe clock', message, 'Synchronize the clock of PostgreSQL with NTP.');
}

const meanings: Readonly<Record<EndpointFault, string>> = {
  not_registered: 'No endpoint is registered at Stripe.',
  disabled: 'The endpoint at Stripe is disabled.',
  lacks_events: 'The endpoint at Stripe lacks event types',
  no_secret: 'There is no signing secret, so every event is rejected.',
  other_secret: 'The signing secret belongs to another endpoint, so every event is rejected.',
};

async function checkEndpoint(ctx: Context, silentSince: Date | null): Promise<Finding[]> {
  const { url, faults, lacks, eventReceivedAt } = await checkWebhookEndpoint(ctx);
  const register = `npm run cli -- webhooks:register ${ctx.tenant.slug}`;
  const findings = faults.map((kind) =>
    fault(
      'stripe webhook',
      kind === 'lacks_events' ? `${meanings[kind]}: ${lacks.join(', ')}.` : meanings[kind],
      register,
    ),
  );
  if (silentSince) {
    findings.push(
      fault(
        'stripe webhook',
        `Since ${silentSince.toISOString()} no webhook has arrived at ${url}; events are only fetched by polling.`,
        `Check that PUBLIC_URL is reachable from outside, then ${register} --replace`,
      ),
    );
  }
  if (findings.length > 0) return findings;
  const lastEvent = eventReceivedAt
    ? `the last event arrived at ${eventReceivedAt.toISOString()}`
    : 'no event has arrived yet';
  return [ok('stripe webhook', `It is registered; ${lastEvent}.`)];
}
