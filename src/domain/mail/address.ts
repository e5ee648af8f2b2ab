export { isMailAddress as isAddress } from '#src/lib/mail-address.ts';

/** The form in which addresses are stored and compared. */
export function canonicalAddress(text: string): string {
  return text.trim().toLowerCase();
}
