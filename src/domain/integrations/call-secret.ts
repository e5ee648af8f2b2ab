import { sha256 } from '#src/lib/crypto.ts';
import type { Context } from '../context.ts';
import { deriveToken } from '../tenants/index.ts';

/**
 * The secret that a third party signs its calls to this store with, as Standard Webhooks writes secrets. It is derived
 * from the store's own: whoever rotates that gives a new one to each third party.
 */
export async function callSecretOf(ctx: Context, provider: string): Promise<string> {
  return `whsec_${sha256(await deriveToken(ctx, 'integration.calls', provider)).toString('base64')}`;
}
