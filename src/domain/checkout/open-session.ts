import { transact } from '#src/database/transact.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { endSession, markOpened, type PaymentSession, paymentErrorOf, providerUnavailable } from '../payments/index.ts';
import { notSent, type PaymentAccount } from '../ports/payment-gateway.ts';

/** The provider no longer has the session's customer: the checkout can be started again with another one. */
export class CustomerGone extends Error {
  override readonly name = 'CustomerGone';
  readonly customerId: string;

  constructor(customerId: string) {
    super('The provider has no such customer.');
    this.customerId = customerId;
  }
}

/**
 * Create the stored session at the provider, outside any transaction, and record the result. A repeated request and the
 * repair job make the same call with the same key.
 *
 * If it is certain that no session was created, the order is closed and its holds are released; otherwise the repair
 * job finds out.
 *
 * @param options `isNew`: this is the first attempt to create it
 * @returns the URL of the payment page
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
    // The shopper requested another session meanwhile, and must not get two that can be paid.
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

/** Whether a failure of the only attempt proves that no session was created: all do but a missing response. */
export const provesNotCreated = ({ failure, code }: ProviderError): boolean => failure !== 'away' || code === notSent;

/** Whether a failure proves it for earlier attempts, too: the provider returns the result of the first one again. */
const provesNeverCreated = ({ failure }: ProviderError): boolean => failure === 'refused' || failure === 'missing';
