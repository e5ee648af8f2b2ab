import { transact } from '#src/database/transact.ts';
import { DomainError, invalidRequest, ProviderError } from '#src/lib/errors.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { recordFulfillment } from '../orders/index.ts';
import type { Rate } from '../ports/shipping-gateway.ts';
import { isFinal } from './is-final.ts';
import { Label } from './label.ts';
import { labelReasonCodes } from './label-reasons.ts';
import { openAccount } from './open-account.ts';
import { quoteMarker } from './quote-marker.ts';
import { insertLabel } from './request-label.ts';
import { lockForManualAction, rejectIfOpen } from './retry-label.ts';
import { enqueueAttempt } from './request-label.ts';

/**
 * Buy the label of a rate that a person chose, also across a border and above the cost cap. It must have been quoted for
 * this order as it stands: a rate is for the address that was asked about, whoever's that is. The rate is written down
 * here and bought by the job, as safely as any other.
 *
 * @throws DomainError when the rate is unknown, or the label is bought already or being worked on
 */
export async function chooseRate(
  ctx: Context,
  { orderId, rateId }: { orderId: string; rateId: string },
): Promise<void> {
  const { rate, marker } = await fetchRate(ctx, rateId);
  await transact(ctx, async (ctx) => {
    const { order, label: found } = await lockForManualAction(ctx, orderId);
    rejectIfOpen(found);
    if (marker !== quoteMarker(orderId, order.shippingAddress ?? null)) throw noSuchRate();
    if (!found) await insertLabel(ctx, order);
    const label =
      found ?? (await ctx.tx.em.findOneOrFail(Label, { tenantId: ctx.tenant.id, orderId, state: 'queued' }));
    label.tries = 0;
    label.choose(rate, '', true);
    enqueueAttempt(ctx, label, ctx.clock.now());
    label.updatedAt = ctx.clock.now();
    await recordFulfillment(ctx, orderId, { resolved: [...labelReasonCodes, 'oversold'] });
    await recordAudit(ctx, {
      action: 'label.rate_chosen',
      subjectKind: 'order',
      subjectId: orderId,
      after: {
        carrier: rate.carrier,
        service: rate.serviceCode,
        amount_cents: rate.amountCents,
        currency: rate.currency,
      },
    });
  });
}

async function fetchRate(ctx: Context, rateId: string): Promise<{ readonly rate: Rate; readonly marker: string }> {
  const opened = await openAccount(ctx);
  if (!opened) throw providerUnavailable();
  try {
    return await ctx.ports.shipping.fetchRate(opened.account, rateId, { signal: ctx.signal });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (isFinal(error)) throw noSuchRate();
    throw providerUnavailable(error);
  }
}

const noSuchRate = () => invalidRequest('There is no such rate for this order. Ask for its rates again.');

/** What a shopper or a person hears while the parcel provider is away or not set up. */
export function providerUnavailable(cause?: unknown): DomainError {
  return new DomainError(
    'upstream_failed',
    'shipping_provider_unavailable',
    'Shipping rates are not available at the moment.',
    { cause },
  );
}
