import { domainToASCII, domainToUnicode } from 'node:url';

import { oneLine } from './one-line.ts';

/** What an email address may have at most. */
export const emailLengthMax = 254;

/**
 * One plain address, and nothing that a mail server could take for more than one or for a header: no white space, no
 * line ends, no separators, no quoting.
 */
const plain = /^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,253}$/u;

export function isEmailAddress(text: string): boolean {
  return text.length <= emailLengthMax && plain.test(text);
}

/** An email address as it is stored and compared: trimmed, in lower case, its domain in ASCII. */
export function normaliseEmail(text: string): string {
  return withAsciiDomain(text.trim().toLowerCase());
}

/** What nobody sees around an address that was copied, such as the marks of direction of an address book. */
const unseenAround = /^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu;

/** What may be in a domain as people write it. In anything else, a URL's host would end, or begin. */
const domainLike = /^[a-z0-9.\u0080-\u{10ffff}-]+$/iu;

/**
 * The same email address with an international domain in ASCII (punycode), which every mail server takes, and without
 * unseen characters around it. Any other text stays as it is.
 */
export function withAsciiDomain(written: string): string {
  if (written.length > emailLengthMax || !written.includes('@')) return written;
  const text = written.replaceAll(unseenAround, '');
  const start = text.lastIndexOf('@') + 1;
  const domain = text.slice(start);
  if (!/[\u0080-\u{10ffff}]/u.test(domain) || !domainLike.test(domain)) return text;
  const ascii = domainToASCII(domain);
  return ascii === '' || start + ascii.length > emailLengthMax ? text : text.slice(0, start) + ascii;
}

/** The same email address with an international domain as people write it. */
export function withWrittenDomain(address: string): string {
  const start = address.lastIndexOf('@') + 1;
  return address.slice(0, start) + (domainToUnicode(address.slice(start)) || address.slice(start));
}

/** The sender of an email. The name is any text on one line: it is encoded when it is written into a header. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/**
 * Parse `Cedar & Clay <hello@cedar.example>`, with the name in double quotes or not, or a bare email address. The name
 * is what precedes the last `<`; whether the rest is a valid address is checked by `isEmailAddress`.
 */
export function readSender(written: string): Sender {
  const [, name = '', address = written] = /^(.*)<([^<>]*)>\s*$/s.exec(written) ?? [];
  const [, quoted] = /^\s*"(.*)"\s*$/s.exec(name) ?? [];
  return { name: oneLine(quoted?.replaceAll(/\\(.)/gs, '$1') ?? name), address: address.trim() };
}
