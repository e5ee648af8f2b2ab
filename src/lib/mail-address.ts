/**
 * One plain address, and nothing that a mail server could take for more than one or for a header: no white space, no
 * line ends, no separators, no quoting.
 */
const plain = /^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,253}$/u;

export function isMailAddress(text: string): boolean {
  return text.length <= 254 && plain.test(text);
}
