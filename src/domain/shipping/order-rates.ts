import { readOne, transact } from '#src/database/transact.ts';
import { shortDigest } from '#src/lib/crypto.ts';
import { labelCurrencyOf } from '#src/lib/currency.ts';
import { DomainError, invalidRequest, isFinalFailure, notFound, ProviderError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { type OrderForShipping, recordFulfillment, takeMissingStock } from '../orders/index.ts';
import type { QuoteRequest, Rate } from '../ports/shipping-gateway.ts';
import { packed, sentItems, shippableItems } from './assess-order.ts';
import { sortedByCost } from './choose-rate.ts';
import { declareGoods, unknownOz } from './customs.ts';
import { Label } from './label.ts';
import { labelReasonCodes } from './label-reasons.ts';
import { enqueueAttempt, insertLabel } from './request-label.ts';
import { lockForManualAction, nothingToShip, notShippable, rejectIfOpen } from './retry-label.ts';
import { type AccountAndOrderRow, accountAndOrderOf, openAccount, openAccountAndOrder } from './shipping-account.ts';

/**
 * The rates of enabled carriers for an order, the cheapest first, for an operator to choose from. Across a border the
 * quote declares the goods to customs, so that its rates can be bought.
 *
 * @throws DomainError `not_found`, `shipping_provider_unavailable`, or `order_not_shippable`: nothing is to be shipped,
 *   there is no address, or customs require a filing or may require one
 */
export async function quoteOrder(ctx: Context, { orderId }: { orderId: string }): Promise<Rate[]> {
  const row = await readOne<AccountAndOrderRow>(ctx, sql`select ${accountAndOrderOf(ctx, orderId)}`);
  const { account: opened, order } = openAccountAndOrder(ctx, row);
  if (!order) throw notFound('order');
  const sent = shippableItems(order);
  if (sent.length === 0) throw nothingToShip();
  const country = order.shippingAddress?.country;
  if (!country) throw notShippable('This order has no shipping address. Enter it first.');
  if (!opened) throw providerUnavailable();

  const contentsOz = sent.reduce((sum, { quantity, weightOz }) => sum + quantity * (weightOz ?? unknownOz), 0);
  const to = { ...order.shippingAddress, country, email: order.shippingAddress.email ?? order.email };
  const customs = await declareGoods(ctx, { from: opened.origin, to, order });
  const request: QuoteRequest = {
    from: opened.origin,
    to,
    parcel: packed(opened.parcel, contentsOz),
    carriers: opened.carriers,
    marker: quoteMarker(order),
    ...(customs && { customs }),
  };
  try {
    const { rates } = await ctx.ports.shipping.quote(opened.account, request, { signal: ctx.signal });
    return sortedByCost(rates, opened.carriers, labelCurrencyOf(opened.origin.country, ctx.tenant.currency));
  } catch (error) {
    if (error instanceof ProviderError) throw providerUnavailable(error);
    throw error;
  }
}

/**
 * Buy the label of a rate that an operator chose, also across a border and above the cost cap. The rate must have been
 * quoted for this order, its present address and what is sent of it now: the provider sells a rate for whatever it was
 * quoted for. The rate is recorded here and bought by the job, like any other.
 *
 * @throws DomainError when the rate is unknown, or the label is bought already or being worked on
 */
export async function chooseRate(
  ctx: Context,
  { orderId, rateId }: { orderId: string; rateId: string },
): Promise<void> {
  const { rate, marker } = await fetchRate(ctx, rateId);
  await transact(ctx, async (ctx) => {
    const { order, label: found, sent } = await lockForManualAction(ctx, orderId);
    rejectIfOpen(found);
    if (!sent || marker !== quoteMarker(sent)) throw noSuchRate();
    if (!found) await ctx.tx.execute(insertLabel(ctx, order, { labelId: newId('lbl') }));
    const label =
      found ?? (await ctx.tx.em.findOneOrFail(Label, { tenantId: ctx.tenant.id, orderId, state: 'queued' }));
    label.failedAttempts = 0;
    label.chooseManually(rate, marker);
    await enqueueAttempt(ctx, label, ctx.clock.now());
    label.updatedAt = ctx.clock.now();
    await takeMissingStock(ctx, order);
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
    if (isFinalFailure(error)) throw noSuchRate();
    throw providerUnavailable(error);
  }
}

const noSuchRate = () => invalidRequest('There is no such rate for this order. Request its rates again.');

/** The error while the shipping provider is unavailable or not configured. */
export function providerUnavailable(cause?: unknown): DomainError {
  return new DomainError(
    'upstream_failed',
    'shipping_provider_unavailable',
    'Shipping rates are not available at the moment.',
    { cause },
  );
}

/** The marker of a quote for an order: its id, and a digest of the address and the contents that were quoted. */
export function quoteMarker(order: OrderForShipping): string {
  const { id, shippingAddress: to } = order;
  const address =
    to && [to.name, to.street1, to.street2, to.city, to.state, to.zip, to.country].map((part) => part ?? '');
  const contents = sentItems(order).map(({ quantity, weightOz }) => [quantity, weightOz]);
  return `${id} ${shortDigest(JSON.stringify([address, contents]), 20)}`;
}
