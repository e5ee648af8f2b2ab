import { Duration, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';

/** Four decimals count. */
const percent = Type.Number({ minimum: 0, maximum: 100, examples: [8] });

/** A partner as the store file and the owner's side write it. */
export const PartnerInput = Type.Object({
  code: Type.String({ pattern: '^\\s*[A-Za-z0-9][A-Za-z0-9_-]{0,49}\\s*$', examples: ['maker'] }),
  name: Text(200, { examples: ['The Maker Blog'] }),
  /** The partner's share of an order's total. Default 0. */
  commission_percent: Omittable(percent),
  /** What a shopper saves who comes from there. Default 0. */
  discount_percent: Omittable(percent),
  /** How long after a visit an order is still the partner's. Default 30d. */
  window: Omittable(Duration),
});
export type PartnerInput = Static<typeof PartnerInput>;

/** Who would like to become a partner. */
export const PartnerApplicationInput = Type.Object({
  email: Type.String({ format: 'email', maxLength: 254, examples: ['ada@example.com'] }),
  name: Omittable(Text(200, { examples: ['Ada Lovelace'] })),
  website: Omittable(Text(2048, { examples: ['https://blog.example.com'] })),
  message: Omittable(Text(5000, { examples: ['I write about kitchens.'] })),
});
export type PartnerApplicationInput = Static<typeof PartnerApplicationInput>;
