import type { InTransaction } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import { returnNumberOf } from './present.ts';
import type { ReturnRecord } from './read-returns.ts';

/** Enqueue the email that reports the status of a return. */
export async function notifyShopper(ctx: InTransaction, record: ReturnRecord): Promise<void> {
  const { id, number, orderNumber, email, status, note } = record;
  const items = record.items.map(({ name, quantity }) => ({ name, quantity }));
  await enqueueMail(ctx, {
    kind: 'return_update',
    to: email,
    data: { return_number: returnNumberOf(number), order_number: orderNumber, status, items, note },
    subjectId: id,
  });
}
