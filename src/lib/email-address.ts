import { oneLine } from './one-line.ts';

/**
 * One plain address, and nothing that a mail server could take for more than one or for a header: no white space, no
 * line ends, no separators, no quoting.
 */
const plain = /^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,253}$/u;

export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && plain.test(text);
}

/** Who a mail is from. The name is any text on one line: whoever writes it into a header encodes it. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/**
 * `Cedar & Clay <hello@cedar.example>`, the name in double quotes or not, or a bare address. What stands before the last
 * `<` is the name, whatever is in it; whether the rest is one plain address is for `isEmailAddress`.
 */
export function readSender(written: string): Sender {
  const [, name = '', address = written] = /^(.*)<([^<>]*)>\s*$/s.exec(written) ?? [];
  const [, quoted] = /^\s*"(.*)"\s*$/s.exec(name) ?? [];
  return { name: oneLine(quoted?.replaceAll(/\\(.)/gs, '$1') ?? name), address: address.trim() };
}
