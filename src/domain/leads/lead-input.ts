import {
  BooleanLike,
  Email,
  FreeFormInput,
  Id,
  Omittable,
  OmittableOrEmpty,
  Slug,
  type Static,
  Text,
  Type,
} from '#src/lib/schema.ts';

/** A new lead. */
export const LeadInput = Type.Object({
  email: Email,
  /** Where on the storefront. Each email address has one lead per source. */
  source: OmittableOrEmpty(Text(100, { default: 'storefront', examples: ['footer'] })),
  name: OmittableOrEmpty(Text(200, { examples: ['Ada Lovelace'] })),
  /** Whether the store may send marketing email to this address. */
  consent: Omittable(BooleanLike()),
});
export type LeadInput = Static<typeof LeadInput>;

/** The answers to a quiz of the storefront: any JSON of at most 8 KB and five levels. */
export const QuizInput = Type.Object({
  email: Email,
  answers: Omittable(FreeFormInput({ maxProperties: 200, examples: [{ roast: 'dark' }] })),
});
export type QuizInput = Static<typeof QuizInput>;

/** A waitlist entry for a variant, or for any variant of a product. */
export const WaitlistInput = Type.Object({
  email: Email,
  product_slug: OmittableOrEmpty(Slug),
  variant_id: OmittableOrEmpty(Id('var')),
});
export type WaitlistInput = Static<typeof WaitlistInput>;

/** A wholesale inquiry of a business. */
export const InquiryInput = Type.Object({
  email: Email,
  company: OmittableOrEmpty(Text(200, { examples: ['Analytical Kitchens Ltd'] })),
  phone: OmittableOrEmpty(Text(50, { examples: ['+1 415 555 0100'] })),
  message: OmittableOrEmpty(Text(5000, { examples: ['We run three shops.'] })),
  expected_volume: OmittableOrEmpty(
    Type.Union([Text(200, { examples: ['200 a month'] }), Type.Number({ minimum: 0, maximum: 1e12 })]),
  ),
});
export type InquiryInput = Static<typeof InquiryInput>;
