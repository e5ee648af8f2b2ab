import { ProviderError } from '#src/lib/errors.ts';
import { isMailAddress } from '#src/lib/mail-address.ts';

/** @throws ProviderError `refused` when this is not one plain address */
export function parseRecipient(text: string): string {
  if (!isMailAddress(text)) throw new ProviderError('smtp', 'refused', 'The recipient is not one plain mail address.');
  return text;
}

/**
 * `Cedar & Clay <hello@cedar.example>` or a bare address.
 * @throws ProviderError `refused` when there is not one plain address in it
 */
export function parseSender(text: string): { name: string; address: string } {
  const [, name = '', address = text] = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? [];
  if (!isMailAddress(address.trim()) || /\p{Cc}/u.test(name)) {
    throw new ProviderError('smtp', 'refused', 'The sender is not one plain mail address.');
  }
  return { name, address: address.trim() };
}
