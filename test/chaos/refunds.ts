import type { Stack } from '#src/dev/stack/start-stack.ts';
import { inParallel } from '#test/bench/lib/numbers.ts';
import type { Random } from '#test/support/random.ts';
import { until } from '#test/support/until.ts';
import { type Purchase, requestUntilAccepted } from './shoppers.ts';

/** What the owner requested to refund. */
export interface RequestedRefund {
  readonly id: string;
  readonly orderId: string;
  /** Undefined for everything that was left. */
  readonly amountCents: number | undefined;
}

/** The owner refunds every third paid order as soon as it is known to be paid: a part of it, all of it, or first a part. */
export async function sendRefunds(
  stack: Stack,
  random: Random,
  bought: readonly Purchase[],
): Promise<RequestedRefund[]> {
  const chosen = bought.filter(({ paid }) => paid && random.below(3) === 0);
  const wanted = chosen.map(({ orderId }, index) => {
    const part = 1 + random.below(500);
    return { orderId, amounts: [[part], [undefined], [part, undefined]][index % 3] ?? [] };
  });
  const requested: RequestedRefund[] = [];
  await inParallel(wanted, 8, async ({ orderId, amounts }) => {
    await until(() => isPaid(stack, orderId), { everyMs: 500, what: `${orderId} to be paid` });
    for (const [number, amountCents] of amounts.entries()) {
      const { refund } = (await requestUntilAccepted(stack, 'POST', `/admin/orders/${orderId}/refunds`, {
        key: `refund-${orderId}-${number}`,
        body: amountCents === undefined ? {} : { amount_cents: amountCents },
      })) as { refund: { id: string } };
      requested.push({ id: refund.id, orderId, amountCents });
    }
  });
  return requested;
}

async function isPaid(stack: Stack, orderId: string): Promise<boolean> {
  const { order } = (await requestUntilAccepted(stack, 'GET', `/admin/orders/${orderId}`)) as {
    order: { payment_status: string };
  };
  return order.payment_status === 'paid';
}
