import { Email, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';

/** A request for a sign-in link. */
export const LinkInput = Type.Object({
  email: Email,
  /** Where on the storefront to continue: a path of it. Anything else is dropped from the link. */
  redirect_path: Omittable(Type.String({ maxLength: 2000, examples: ['/account/orders'] })),
  /** The S256 challenge (RFC 7636) of a verifier that the requesting page stores: the link then works only with it. */
  code_challenge: Omittable(
    Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'] }),
  ),
});
export type LinkInput = Static<typeof LinkInput>;

export const ConsumeInput = Type.Object({
  token: Text(200),
  code_verifier: Omittable(Text(200, { examples: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'] })),
});
export type ConsumeInput = Static<typeof ConsumeInput>;

export const RefreshInput = Type.Object({
  refresh_token: Omittable(
    Text(200, { description: 'One that is badly formed gets 401 `invalid_session`, as an unknown one.' }),
  ),
});
export type RefreshInput = Static<typeof RefreshInput>;
