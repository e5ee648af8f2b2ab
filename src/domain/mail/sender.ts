import { readSender, type Sender } from '#src/lib/mail-address.ts';
import { oneLine } from '#src/lib/one-line.ts';
import type { Context } from '../context.ts';

/**
 * Who a store's mails come from: the sender that it named, else the installation's address under the store's name,
 * so that a shopper knows whom the mail is from.
 */
export function senderOf({ tenant, settings }: Context): Sender {
  if (tenant.mailFrom) return readSender(tenant.mailFrom);
  return { name: oneLine(tenant.name), address: readSender(settings.mailFrom).address };
}
