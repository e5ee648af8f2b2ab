import { transact } from '#src/database/transact.ts';
import { rejectIssues } from '#src/lib/errors.ts';
import { AnyCaseCountry, Email, Name, Omittable, OmittableOrEmpty, type Static, Type } from '#src/lib/schema.ts';
import { recordAudit } from '../audit/index.ts';
import { checkCountry } from '../checks.ts';
import type { Context } from '../context.ts';
import { type ShippingAddress, saveOrder } from '../orders/index.ts';
import { lockForManualAction, rejectIfOpen } from './retry-label.ts';

/** A shipping address that replaces another. */
export const ShippingAddressInput = Type.Object({
  name: Name(100),
  street1: Name(100),
  street2: Omittable(Type.String({ maxLength: 100 })),
  city: Name(100),
  state: Omittable(Type.String({ maxLength: 50 })),
  zip: Omittable(Type.String({ maxLength: 20 })),
  country: AnyCaseCountry,
  phone: Omittable(Type.String({ maxLength: 40 })),
  email: OmittableOrEmpty(Email),
});
export type ShippingAddressInput = Static<typeof ShippingAddressInput>;

/**
 * Correct the shipping address of an order. A rate that was chosen for the old address is dropped. The label is not
 * retried by this.
 *
 * @throws DomainError `invalid_request` for what is no country, `not_found`, or a conflict once a label for the old
 *   address may exist
 */
export async function editAddress(
  ctx: Context,
  { orderId, address }: { orderId: string; address: ShippingAddressInput },
): Promise<void> {
  rejectIssues(checkCountry('/country', address.country));
  await transact(ctx, async (ctx) => {
    const { order, label } = await lockForManualAction(ctx, orderId);
    rejectIfOpen(label);
    const before = order.shippingAddress;
    const after = addressFrom(address, before);
    const changed = addressFields.filter((field) => (before?.[field] ?? null) !== after[field]);
    if (changed.length === 0) return;
    order.shippingAddress = after;
    await saveOrder(ctx, order);
    if (label) {
      // An operator decided it for the old address.
      label.requestedManually = false;
      if (label.chosenManually) label.dropRate();
      // Its version changes, so that an attempt which has read the old address buys nothing.
      label.updatedAt = ctx.clock.now();
    }
    // Only the names of the fields, because their values are personal data.
    await recordAudit(ctx, {
      action: 'order.address_changed',
      subjectKind: 'order',
      subjectId: orderId,
      after: { changed },
    });
  });
}

/** The address as it is stored. Without an email it keeps that of the address before. */
export function addressFrom(
  address: ShippingAddressInput,
  before: ShippingAddress | null | undefined,
): ShippingAddress {
  return {
    name: given(address.name),
    street1: given(address.street1),
    street2: given(address.street2),
    city: given(address.city),
    state: given(address.state),
    zip: given(address.zip),
    country: address.country,
    phone: given(address.phone),
    email: given(address.email) ?? before?.email ?? null,
  };
}

const addressFields = [
  'name',
  'street1',
  'street2',
  'city',
  'state',
  'zip',
  'country',
  'phone',
  'email',
] as const satisfies (keyof ShippingAddress)[];

const given = (text: string | null | undefined) => text?.trim() || null;
