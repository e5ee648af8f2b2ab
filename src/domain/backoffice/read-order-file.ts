import { notFound } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { readManagedOrder } from '../orders/index.ts';
import { refundsOf } from '../payments/index.ts';
import { readLabelOfOrder } from '../shipping/index.ts';
import { type OrderFileView, presentOrderFile } from './present.ts';
import { readTimeline } from './read-timeline.ts';

/** An order with all that its store knows of it, each part with one statement. Throws not_found. */
export async function readOrderFile(ctx: Context, orderId: string): Promise<OrderFileView> {
  const [managed, label, refunds, timeline] = await Promise.all([
    readManagedOrder(ctx, orderId),
    readLabelOfOrder(ctx, orderId),
    refundsOf(ctx, orderId),
    readTimeline(ctx, orderId),
  ]);
  if (!managed) throw notFound('order');
  return presentOrderFile({ ...managed, label, refunds, timeline });
}
