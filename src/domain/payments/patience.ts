import { seconds } from '#src/lib/duration.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';

/** How long somebody who waits for the payment provider waits in all, however much it is asked. */
const callerDeadlineMs = seconds(17);

/** When somebody who begins to wait now has waited long enough. */
export const deadlineAt = (): number => performance.now() + callerDeadlineMs;

/** An account by which everything is asked for somebody who waits. */
export const whileCallerWaits = (account: PaymentAccount): PaymentAccount => ({ ...account, endsAt: deadlineAt() });
