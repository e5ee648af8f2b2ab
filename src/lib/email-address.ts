import { oneLine } from './one-line.ts';

/**
 * One plain address, and nothing that a mail server could take for more than one or for a header: no white space, no
 * line ends, no separators, no quoting.
 */
const plain = /^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,253}$/u;

export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && plain.test(text);
}

/** An email address as it is stored and compared: trimmed and in lower case. */
export function normaliseEmail(text: string): string {
  return text.trim().toLowerCase();
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
