import { Email, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';

/** Somebody wants to sign in with this address. */
export const LinkInput = Type.Object({
  email: Email,
  /** Where on the storefront to go on; a path of it. Anything else is left out of the link. */
  redirect_path: Omittable(Type.String({ maxLength: 2000, examples: ['/account/orders'] })),
  /** The S256 challenge of a verifier that the asking page keeps: the link then works only where that is known. */
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

export const RefreshInput = Type.Object({ refresh_token: Omittable(Text(200)) });
export type RefreshInput = Static<typeof RefreshInput>;
