/**
 * Whose checkout it is, of which there is one at a time: the cart's, else the address's. Who cannot be told from others
 * has none, and nothing to supersede.
 */
export function checkoutSubjectOf({
  cartId,
  email,
}: {
  readonly cartId?: string | null | undefined;
  /** Trimmed, lower case. */
  readonly email: string | null;
}): string | null {
  if (cartId) return `cart:${cartId}`;
  return email && `email:${email}`;
}
