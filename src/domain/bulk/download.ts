import { readOne } from '#src/database/transact.ts';
import { equalInConstantTime } from '#src/lib/crypto.ts';
import { hours } from '#src/lib/duration.ts';
import { invalidOrExpired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { deriveToken, tokenPurposes } from '../tenants/index.ts';
import { type Operation, readOperation } from './operation.ts';

const linkMs = hours(24);

/** The link to the file of a completed export; null before, and when it has expired. */
export async function linkOf(ctx: Context, operation: Operation): Promise<{ url: string; expiresAt: Date } | null> {
  const expiresAt = expiryOf(operation);
  if (!expiresAt || expiresAt <= ctx.clock.now()) return null;
  const token = await deriveToken(ctx, tokenPurposes.download, operation.id);
  const query = new URLSearchParams({ tenant: ctx.tenant.slug, token });
  return { url: `${ctx.settings.publicUrl}/api/v1/exports/${operation.id}?${query}`, expiresAt };
}

/**
 * The export that a link was made for.
 * @throws DomainError `invalid_or_expired_token`
 */
export async function openLink(ctx: Context, { id, token }: { id: string; token: string }): Promise<Operation> {
  const expected = await deriveToken(ctx, tokenPurposes.download, id);
  const operation = equalInConstantTime(token, expected) ? await readOperation(ctx, 'export', id) : undefined;
  const expiresAt = operation && expiryOf(operation);
  if (!operation || !expiresAt || expiresAt <= ctx.clock.now()) throw invalidOrExpired('link');
  return operation;
}

const expiryOf = ({ state, finishedAt }: Operation): Date | undefined =>
  state === 'completed' && finishedAt ? new Date(finishedAt.getTime() + linkMs) : undefined;

/** The file of an export, chunk by chunk. */
export async function* readFile(ctx: Context, { id }: Operation): AsyncIterable<Buffer> {
  for (let position = 0; ; position += 1) {
    const chunk = await readOne<{ content: Buffer }>(
      ctx,
      sql`
      select content from bulk_chunks
      where tenant_id = ${ctx.tenant.id} and operation_id = ${id} and position = ${position}`,
    );
    if (!chunk) return;
    yield chunk.content;
  }
}
