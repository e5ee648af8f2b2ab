import { minutes } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { readOne } from '../database.ts';
import { rotateSecret } from './secret-rotation.ts';
import { troubleOf } from './trouble.ts';

/** Finish a rotation that was confirmed, where the process died or the provider was away. Nobody is told the secret. */
export async function finishSecretRotation(ctx: Context, { rotationId }: { rotationId: string }): Promise<void> {
  const rotation = await readOne<{ leasedUntil: Date | null }>(ctx, sql`
    select leased_until as "leasedUntil" from payment_secret_rotations r
    where tenant_id = ${ctx.tenant.id} and id = ${rotationId} and state = 'confirmed' and not exists (
      select from payment_secret_rotations n
      where n.tenant_id = ${ctx.tenant.id} and (n.created_at, n.id) > (r.created_at, r.id) and n.state <> 'requested')`);
  if (!rotation) return;
  const heldMs = (rotation.leasedUntil?.getTime() ?? 0) - ctx.clock.now().getTime();
  if (heldMs > 0) throw new Snooze(heldMs, 'the owner confirms it at this moment');
  try {
    await rotateSecret(ctx, rotationId);
  } catch (error) {
    throw new Snooze(minutes(1), troubleOf(error).message);
  }
}
