/**
 * Identifies whose checkout it is: the cart's, else the email's. A subject has one open checkout at a time: a new one
 * supersedes it. Null for an anonymous checkout without a cart, which supersedes none.
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
