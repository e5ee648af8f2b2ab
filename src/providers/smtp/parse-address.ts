import { ProviderError } from '#src/lib/errors.ts';

/** One address and nothing that SMTP or a header could take for more: no white space, no line ends, no separators. */
const plain = /^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,253}$/u;

/** @throws ProviderError `refused` when this is not one plain address */
export function parseRecipient(text: string): string {
  if (!plain.test(text)) throw new ProviderError('smtp', 'refused', 'The recipient is not one plain mail address.');
  return text;
}

/**
 * `Cedar & Clay <hello@cedar.example>` or a bare address.
 * @throws ProviderError `refused` when there is not one plain address in it
 */
export function parseSender(text: string): { name: string; address: string } {
  const [, name = '', address = text] = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? [];
  if (!plain.test(address.trim()) || /\p{Cc}/u.test(name)) {
    throw new ProviderError('smtp', 'refused', 'The sender is not one plain mail address.');
  }
  return { name, address: address.trim() };
}
