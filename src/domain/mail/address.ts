/**
 * One plain address, and nothing that a mail server could take for more than one or for a header: no white space, no
 * line ends, no separators, no quoting.
 */
const address = /^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,253}$/u;

export function isAddress(text: string): boolean {
  return text.length <= 254 && address.test(text);
}

/** The form in which addresses are stored and compared. */
export function canonicalAddress(text: string): string {
  return text.trim().toLowerCase();
}
