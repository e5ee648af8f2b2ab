import { transact } from '#src/database/transact.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { endSession, markOpened, type PaymentSession, paymentErrorOf, providerUnavailable } from '../payments/index.ts';
import { notSent, type PaymentAccount } from '../ports/payment-gateway.ts';

/** The customer that the session was to be for is gone at the provider: with another one it may work. */
export class CustomerGone extends Error {
  override readonly name = 'CustomerGone';
  readonly customerId: string;

  constructor(customerId: string) {
    super('The provider has no such customer.');
    this.customerId = customerId;
  }
}

/**
 * Ask the provider for the session that stands written down, outside any transaction, and write down what it
 * answered. Asked again, by a repeated request or a repair, it is the same call with the same key.
 *
 * Where it is certain that no session was made, the order ends here and gives back what it held; where it is not,
 * the order waits for its repair.
 *
 * @param options `isNew`: nobody has asked for it before
 * @returns the address of the payment page
 * @throws DomainError, or CustomerGone
 */
export async function openSession(
  ctx: Context,
  account: PaymentAccount,
  session: PaymentSession,
  { isNew }: { isNew: boolean },
): Promise<string> {
  if (session.state === 'open' && session.url) return session.url;
  try {
    const created = await ctx.ports.payments.createSession(
      account,
      session.request,
      session.idempotencyKey,
      ctx.signal,
    );
    const url = await transact(ctx, (ctx) => markOpened(ctx, session, created));
    // Who waited for it has asked for another one since, and would have two to pay.
    if (url === undefined) throw providerUnavailable();
    return url;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (isNew ? provesNotCreated(error) : provesNeverCreated(error))
      await transact(ctx, (ctx) => endSession(ctx, session, 'canceled'));
    const { customerId } = session.request;
    if (customerId && error.failure === 'missing') throw new CustomerGone(customerId);
    throw paymentErrorOf(error);
  }
}

/** Whether a failure of the only try proves that no session was made: all do but silence. */
export const provesNotCreated = ({ failure, code }: ProviderError): boolean => failure !== 'away' || code === notSent;

/** Whether a failure proves it whatever was tried before: the provider answers the first try again. */
const provesNeverCreated = ({ failure }: ProviderError): boolean => failure === 'refused' || failure === 'missing';
