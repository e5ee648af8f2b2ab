import { clockSkewMaxSeconds } from '#src/database/prove-database.ts';
import { wrongModeOf } from '#src/domain/check-key-mode.ts';
import type { Context } from '#src/domain/context.ts';
import {
  checkWebhookEndpoint,
  type EndpointFault,
  openAccount,
  readPaymentAccount,
} from '#src/domain/payments/index.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** The store's account at Stripe: its key, its clock, and whether its events arrive. */
export async function checkPayments(ctx: Context): Promise<Finding[]> {
  const stored = await readPaymentAccount(ctx);
  const save = 'Put it into the payments section of the store file and apply it.';
  if (!stored) return [warning('stripe', 'The store has no account, so it cannot sell.', save)];
  if (stored.mode !== 'direct') {
    return [fault('stripe', 'The store cannot sell in connect mode.', 'Give it keys of its own, in direct mode.')];
  }
  if (!stored.hasSecretKey) return [fault('stripe', 'There is no secret key.', save)];
  const account = await openAccount(ctx);
  const requestedAt = ctx.clock.now().getTime();
  try {
    const told = await ctx.ports.payments.readClock(account, ctx.signal);
    const between = (requestedAt + ctx.clock.now().getTime()) / 2;
    return [
      checkKind(ctx, account.secretKey),
      ...(told ? [checkClock(Math.abs(told.getTime() - between) / 1000)] : []),
      ...(await checkEndpoint(ctx, stored.silentSince)),
    ];
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof DomainError)) throw error;
    return [
      error instanceof ProviderError && error.failure === 'denied'
        ? fault('stripe', 'Stripe does not accept the secret key.', save)
        : fault(
            'stripe',
            `Stripe does not answer: ${error.message}`,
            'See whether this machine reaches it; nobody can buy.',
          ),
    ];
  }
}

/** A live key charges people in the test environment; a test key sells for nothing in the live one. */
function checkKind(ctx: Context, secretKey: string): Finding {
  const wrong = wrongModeOf(ctx, secretKey);
  return wrong
    ? fault('stripe', wrong, `Give the store its ${ctx.settings.appMode} key.`)
    : ok('stripe', 'Stripe accepts the secret key.');
}

/** It dates what it signs, and a signature of another time is refused. */
function checkClock(skewSeconds: number): Finding {
  if (skewSeconds <= clockSkewMaxSeconds) return ok('stripe clock', 'This machine and Stripe agree on the time.');
  const sentence = `This machine and Stripe are ${Math.round(skewSeconds)} seconds apart: signed events are refused.`;
  return fault('stripe clock', sentence, 'Set the clock by NTP.');
}

const meanings: Readonly<Record<EndpointFault, string>> = {
  not_registered: 'Stripe has no endpoint that leads here.',
  disabled: 'The endpoint at Stripe is switched off.',
  lacks_events: 'The endpoint at Stripe is not told everything that is needed',
  no_secret: 'There is no signing secret, so no event is believed.',
  other_secret: "The signing secret is another endpoint's, so no event is believed.",
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
        `Since ${silentSince.toISOString()} events come by sweeps only: none arrives at ${url}.`,
        `See whether PUBLIC_URL is reached from outside, then ${register} --replace`,
      ),
    );
  }
  if (findings.length > 0) return findings;
  const heard = eventReceivedAt ? `the last event came ${eventReceivedAt.toISOString()}` : 'no event has come yet';
  return [ok('stripe webhook', `It is registered; ${heard}.`)];
}
