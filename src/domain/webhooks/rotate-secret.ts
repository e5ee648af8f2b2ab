import type { Context } from '../context.ts';
import { changeNamedEndpoint } from './change-endpoint.ts';
import { newSecret, sealSecret } from './secret.ts';

/**
 * Sign with a new secret from now on, and with the old one too for a day. The new one is told here and never again.
 * @throws DomainError `not_found`
 */
export async function rotateSecret(ctx: Context, { id }: { id: string }): Promise<{ secret: string }> {
  const secret = newSecret();
  await changeNamedEndpoint(ctx, id, 'secret_rotated', async (ctx, endpoint) => {
    endpoint.rotateSecret(sealSecret(ctx, secret), ctx.clock.now());
  });
  return { secret };
}
