import { sha256 } from '#src/lib/crypto.ts';
import type { Context } from '../context.ts';
import { deriveToken } from './derive-token.ts';

const digits = 6;

/**
 * The one-time password of one row for one purpose: six digits that are derived like a token, so that a mail can be
 * sent again with the same one. Few digits need few tries: whoever checks it has to count.
 */
export async function deriveCode(ctx: Context, purpose: string, rowId: string): Promise<string> {
  const number = sha256(await deriveToken(ctx, purpose, rowId)).readUIntBE(0, 6);
  return String(number % 10 ** digits).padStart(digits, '0');
}
