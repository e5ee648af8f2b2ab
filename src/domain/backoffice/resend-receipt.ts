import { transact } from '#src/database/transact.ts';
import { isEmailAddress } from '#src/lib/email-address.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import { readOrder } from '../orders/index.ts';

/**
 * Send the receipt of a paid order to its shopper once more, as the order is now.
 * @throws DomainError `not_found`, or `no_receipt` when the order is not paid or has no email address
 */
export async function resendReceipt(ctx: Context, orderId: string): Promise<void> {
  const order = found(await readOrder(ctx, orderId), 'order');
  const { email } = order.customer;
  if (order.paid_at === null || email === null || !isEmailAddress(email))
    throw new DomainError('conflict', 'no_receipt', 'The order is not paid, or has no email address.');
  await transact(ctx, async (ctx) => {
    enqueueMail(ctx, { kind: 'receipt', to: email, subjectId: orderId, data: order });
    await recordAudit(ctx, { action: 'order.receipt_resent', subjectKind: 'order', subjectId: orderId });
  });
}
