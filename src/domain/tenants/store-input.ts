import { Currency, Email, FreeForm, Omittable, Slug, type Static, Text, Type, Url } from '#src/lib/schema.ts';
import { moduleNames } from './tenant.ts';

const Origin = Type.String({ pattern: '^(\\*|https?://[^/\\s]+)$', maxLength: 300 });
const Path = Type.String({ pattern: '^/[^?#\\s]*$', maxLength: 500 });

/** A store as its file describes it. What is left out has its default. */
export const StoreInput = Type.Object({
  /** What requests call the store by. It never changes: another slug is another store. */
  slug: Slug,
  name: Text(200, { examples: ['Cedar & Clay'] }),
  owner_email: Email,
  /** Of every price in the store. It stays as it is once something was ordered. */
  currency: Currency,
  locale: Type.Optional(Text(35, { default: 'en-US' })),
  timezone: Type.Optional(Text(64, { default: 'UTC', examples: ['America/New_York'] })),
  /** Where links in mails lead. */
  storefront_url: Url,
  magic_link_path: Type.Optional(Type.Unsafe<string>({ ...Path, default: '/account/sign-in' })),
  restore_path: Type.Optional(Type.Unsafe<string>({ ...Path, default: '/cart/restore' })),
  /** The origins whose pages may call the service: `*` is any. */
  allowed_origins: Type.Optional(Type.Array(Origin, { maxItems: 100, uniqueItems: true, default: ['*'] })),
  /**
   * How many requests a second each operation that is not limited in normal use takes for the store: checkout, saved carts,
   * the billing portal. Default 500. One client gets half of it, and never more than 30.
   */
  requests_per_second: Omittable(Type.Integer({ minimum: 10, maximum: 100_000, examples: [500] })),
  /** `Name <address>` or an address. Without it mails come from MAIL_FROM. */
  mail_from: Omittable(Text(300)),
  /** Passed through to the storefront unread. */
  theme: Type.Optional(FreeForm),
  links: Type.Optional(FreeForm),
});
export type StoreInput = Static<typeof StoreInput>;

/** Modules to switch on or off. One that is not named stays as it is: of a new store all are on but customer accounts. */
export const ModulesInput = Type.Object(
  Object.fromEntries(moduleNames.map((name) => [name, Type.Optional(Type.Boolean())])),
);
export type ModulesInput = Partial<Record<(typeof moduleNames)[number], boolean>>;
