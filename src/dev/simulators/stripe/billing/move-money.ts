import type { Account } from '../account.ts';
import { type Charge, createCharge } from '../objects/charge.ts';
import type { PaymentIntent } from '../objects/payment-intent.ts';

export type Outcome = 'paid' | 'declined' | 'processing';

/** Try to take an intent's money, and tell of what came of it. */
export function attemptPayment(account: Account, intent: PaymentIntent, outcome: Outcome, billing: object): Charge {
  if (outcome === 'declined') return decline(account, intent, billing);
  if (outcome === 'processing') return startDebit(account, intent, billing);
  const charge = createCharge(account, intent, { status: 'succeeded', billing });
  account.record('charge.succeeded', charge);
  receive(account, intent, charge);
  return charge;
}

/** The end of a slow bank debit. */
export function settlePayment(account: Account, intent: PaymentIntent, succeeded: boolean): void {
  const charge = account.charges.need(intent.latest_charge ?? '');
  if (succeeded) {
    account.change(charge, { status: 'succeeded', paid: true, amount_captured: charge.amount }, 'charge.succeeded');
    receive(account, intent, charge);
    return;
  }
  const failure = {
    failure_code: 'debit_not_authorized',
    failure_message: 'The customer has disputed the debit.',
  };
  account.change(charge, { status: 'failed', paid: false, ...failure }, 'charge.failed');
  refuse(account, intent, charge, { code: failure.failure_code, message: failure.failure_message });
}

export function cancelIntent(account: Account, intent: PaymentIntent): void {
  if (intent.status !== 'requires_payment_method') return;
  const patch = { status: 'canceled', canceled_at: account.now, cancellation_reason: 'automatic' } as const;
  account.change(intent, patch, 'payment_intent.canceled');
}

function receive(account: Account, intent: PaymentIntent, charge: Charge): void {
  account.change(
    intent,
    {
      amount_received: intent.amount,
      last_payment_error: null,
      latest_charge: charge.id,
      payment_method: String(charge['payment_method']),
      processing: null,
      status: 'succeeded',
    },
    'payment_intent.succeeded',
  );
}

function startDebit(account: Account, intent: PaymentIntent, billing: object): Charge {
  const charge = createCharge(account, intent, { status: 'pending', billing });
  account.record('charge.pending', charge);
  const method = String(charge['payment_method']);
  account.change(
    intent,
    { latest_charge: charge.id, payment_method: method, status: 'processing', last_payment_error: null },
    'payment_intent.processing',
  );
  return charge;
}

function decline(account: Account, intent: PaymentIntent, billing: object): Charge {
  const charge = createCharge(account, intent, { status: 'failed', billing });
  account.record('charge.failed', charge);
  refuse(account, intent, charge, {
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
  });
  return charge;
}

function refuse(account: Account, intent: PaymentIntent, charge: Charge, error: object): void {
  account.change(
    intent,
    {
      last_payment_error: { charge: charge.id, type: 'card_error', ...error },
      latest_charge: charge.id,
      payment_method: null,
      processing: null,
      status: 'requires_payment_method',
    },
    'payment_intent.payment_failed',
  );
}
