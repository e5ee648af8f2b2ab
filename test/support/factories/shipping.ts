import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { type ShippingAccountInput, saveShippingAccount } from '#src/domain/shipping/index.ts';
import { randomText } from '#src/lib/crypto.ts';

export const origin = {
  name: 'Cedar & Clay',
  street1: '215 Clayton St',
  city: 'San Francisco',
  state: 'CA',
  zip: '94117',
  country: 'US',
  phone: '4155550100',
  email: 'ship@cedar.example',
};

export const shippingAccountInput = (given: Partial<ShippingAccountInput> = {}): ShippingAccountInput => ({
  provider: 'shippo',
  api_key: `shippo_test_${randomText(24)}`,
  webhook_token: randomText(24),
  carriers: ['usps', 'ups'],
  origin,
  parcel: { length_in: 10, width_in: 8, height_in: 4, weight_oz: 2 },
  countries: ['US', 'CA', 'GB'],
  options: [
    { name: 'Standard', amount_cents: 599, free_over_cents: 7500 },
    { name: 'Express', amount_cents: 1499 },
  ],
  ...given,
});

/** A store's shipping account. Returns what was saved, with key and token. */
export async function buildShippingAccount(
  ctx: Context,
  given: Partial<ShippingAccountInput> = {},
): Promise<ShippingAccountInput> {
  const input = shippingAccountInput(given);
  await transact(ctx, (ctx) => saveShippingAccount(ctx, input));
  return input;
}
