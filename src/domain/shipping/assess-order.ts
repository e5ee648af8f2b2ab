import { plainForms } from '#src/lib/typed-code.ts';
import type { OrderForShipping, ShippingAddress } from '../orders/index.ts';
import type { Parcel, PostalAddress } from '../ports/shipping-gateway.ts';
import type { Label } from './label.ts';
import type { ReasonCode } from './label-reasons.ts';
import type { Box, Origin } from './shipping-account.ts';

/** The store's settings that the assessment needs. */
export interface ShippingTerms {
  readonly origin: Origin;
  readonly parcel: Box;
}

/** Whether a label is bought for an order: with the address and the parcel, or with the reason why not. */
export type Assessment =
  | { readonly decision: 'ship'; readonly to: PostalAddress; readonly parcel: Parcel }
  | { readonly decision: 'skip' }
  | { readonly decision: 'flag'; readonly code: ReasonCode; readonly detail: string | null };

/** 150 pounds: parcel carriers take nothing heavier, and freight is not available. */
export const parcelOzMax = 2400;
const tooHeavy = 'A parcel weighs at most 150 pounds (2400 oz): freight is not available.';

/** Whether there are goods to send: the order is paid, not refunded in full, and contains goods that ship. */
export function needsShipping({ status, items }: OrderForShipping): boolean {
  return ['paid', 'partially_refunded'].includes(status) && items.some(({ ships }) => ships);
}

/** The items that are sent: without what does not ship, or is in a return that was approved before. */
export const sentItems = ({ items }: OrderForShipping): OrderForShipping['items'] =>
  items.filter(({ ships, quantity }) => ships && quantity > 0);

/** The same of an order that may be shipped. Nothing is, of one that is not paid or was refunded in full. */
export const shippableItems = (order: OrderForShipping): OrderForShipping['items'] =>
  needsShipping(order) ? sentItems(order) : [];

/**
 * Labels are bought for paid orders of goods that ship, from the US to the US, when address and weight are known.
 * One that an operator requested may cross a border; where the operator chose the rate, the weight may be unknown, too.
 * That of a disputed payment is bought only by an operator who has seen that it is: "retry all" is not enough.
 */
export function assessOrder(
  order: OrderForShipping,
  terms: ShippingTerms | undefined,
  label: Pick<Label, 'requestedManually' | 'chosenManually' | 'flaggedCode'>,
): Assessment {
  const { requestedManually, chosenManually, flaggedCode } = label;
  const sent = shippableItems(order);
  if (sent.length === 0) return { decision: 'skip' };
  if (order.attentionCodes.includes('oversold')) return flag('oversold');
  if (isLossLikely(order) && !chosenManually && flaggedCode !== 'payment_disputed') return flag('payment_disputed');
  if (!terms) return flag('provider_auth');

  const address = order.shippingAddress;
  if (!address?.country) return flag('missing_address');
  const isWithinUs = address.country === 'US' && terms.origin.country === 'US';
  if (!isWithinUs && !requestedManually && !chosenManually) return flag('international');
  if (!isComplete(address)) return flag('missing_address');
  const isZip = /^\d{5}(-\d{4})?$/.test(plainForms(address.zip ?? ''));
  if (address.country === 'US' && !isZip) return flag('address_invalid');

  const weightOz = contentsWeightOz(sent);
  if (weightOz === undefined && !chosenManually) return flag('parcel_missing');
  const parcel = packed(terms.parcel, weightOz ?? 0);
  if (parcel.weightOz > parcelOzMax) return flag('no_rates', tooHeavy);
  return {
    decision: 'ship',
    to: { ...address, country: address.country, email: address.email ?? order.email },
    parcel,
  };
}

/** Goods that were sent are lost with a dispute, and most of those for fraud are lost. */
const isLossLikely = ({ disputeStatus }: OrderForShipping): boolean =>
  disputeStatus === 'open' || disputeStatus === 'lost';

/** A parcel of these contents in the store's box. */
export function packed(box: Box, contentsOz: number): Parcel {
  return {
    lengthIn: box.length_in,
    widthIn: box.width_in,
    heightIn: box.height_in,
    weightOz: box.weight_oz + contentsOz,
  };
}

function contentsWeightOz(items: OrderForShipping['items']): number | undefined {
  if (items.some(({ weightOz }) => weightOz === null)) return undefined;
  return items.reduce((sum, { quantity, weightOz }) => sum + quantity * (weightOz ?? 0), 0);
}

const countriesWithStates = ['US', 'CA', 'AU'];

function isComplete({ name, street1, city, state, zip, country }: ShippingAddress): boolean {
  const needed = [name, street1, city, zip, ...(countriesWithStates.includes(country ?? '') ? [state] : [])];
  return needed.every((field) => field !== null && field !== undefined && field.trim() !== '');
}

const flag = (code: ReasonCode, detail: string | null = null): Assessment => ({ decision: 'flag', code, detail });
