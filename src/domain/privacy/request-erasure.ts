import { eraseDataSubject as eraseDataSubjectJob } from '#jobs/privacy.ts';
import { transact } from '#src/database/transact.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockErasure, openErasure, saveErasure } from './erasure.ts';

/**
 * Preview the erasure of a person, by a job: what will be erased, what stays, and what prevents it. Nothing is erased. A
 * person has one erasure that is not completed: it is previewed again, unless it is running.
 * @returns its id
 */
export async function requestErasure(ctx: Context, { email }: { email: string }): Promise<string> {
  return transact(ctx, async (ctx) => {
    const erasure = await openErasure(ctx, email);
    const isWaiting = !erasure.isNew && erasure.state === 'queued';
    if (isWaiting || erasure.state === 'running') return erasure.id;
    await saveErasure(ctx, { ...erasure, state: 'queued', found: null, blockers: [], failure: null });
    await enqueueErasure(ctx, erasure.id);
    return erasure.id;
  });
}

/**
 * Erase the person of an erasure that was previewed, by a job. One that runs or is completed stays as it is.
 * @throws DomainError `not_found`, `not_runnable`
 */
export async function runErasure(ctx: Context, { id }: { id: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const erasure = found(await lockErasure(ctx, id), 'erasure');
    const { state, auditSubjectId: subjectId, found: preview } = erasure;
    if (state === 'running' || state === 'completed') return;
    if (state === 'queued' || !preview) throw notRunnable();
    const requestedBy = { kind: ctx.actor.kind, id: ctx.actor.id };
    const startedAt = erasure.startedAt ?? ctx.clock.now();
    await saveErasure(ctx, { ...erasure, state: 'running', blockers: [], failure: null, requestedBy, startedAt });
    await enqueueErasure(ctx, id);
    const after = { erasure: id };
    await recordAudit(ctx, { action: 'person.erasure_started', subjectKind: 'person', subjectId, after });
  });
}

const notRunnable = () =>
  new DomainError('conflict', 'not_runnable', 'It was not previewed yet. Wait for its preview.');

/** Enqueue the next job of an erasure. */
export async function enqueueErasure(ctx: InTransaction, erasureId: string): Promise<void> {
  const [row] = await ctx.tx.execute<{ number: number }>(sql`
    update erasures set jobs = jobs + 1 where tenant_id = ${ctx.tenant.id} and id = ${erasureId}
    returning jobs as number`);
  if (row) enqueue(ctx, eraseDataSubjectJob, { erasureId, number: row.number });
}
