import type { ShopperInput } from '../checkout/shopper-details.ts';
import type { Session } from '../objects/session.ts';

/** A shopper for tests that do not care who it is, living where the session ships to. */
export function sampleShopper(session: Session): Required<ShopperInput> {
  const countries: readonly string[] = Object(session['shipping_address_collection']).allowed_countries ?? ['US'];
  return {
    email: 'jenny.rosen@example.com',
    name: 'Jenny Rosen',
    phone: '+14155550123',
    address: {
      line1: '354 Oyster Point Blvd',
      line2: '',
      city: 'South San Francisco',
      state: 'CA',
      postal_code: '94080',
      country: countries.includes('US') ? 'US' : (countries[0] ?? 'US'),
    },
  };
}
