import { setTimeout as pause } from 'node:timers/promises';
import { transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { lowerCase, sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import type { DataSubject, PersonalData } from '../personal-data.ts';
import { erasureBlockers } from './blockers.ts';
import { type Erasure, lockErasure, openErasure, type RowsByPart, readErasure, saveErasure } from './erasure.ts';
import { findDataSubject, type KnownSubject } from './find-data-subject.ts';
import { personalData } from './registry.ts';
import { enqueueErasure } from './request-erasure.ts';

/** How much a batch, which is one transaction, erases before it ends. */
export interface BatchBounds {
  readonly rows: number;
  /** Of a person with more orders, so many are erased with everything that belongs to them. */
  readonly orders: number;
}

const defaultBounds: BatchBounds = { rows: 1000, orders: 100 };

/** What is found by reading all rows of a store is erased in fewer batches. Nobody else changes it. */
const scannedFactor = 20;

/** Everything, where a batch has to be complete. */
const noLimit = 2_147_483_646;

/** First what is found by reading all rows of a store, while all orders are known that lead to it. */
const steps: readonly PersonalData[] = [
  ...personalData.filter(({ ofOrders }) => ofOrders === 'scanned'),
  ...personalData.filter(({ ofOrders }) => ofOrders !== 'scanned'),
];
const scannedSteps = personalData.filter(({ ofOrders }) => ofOrders === 'scanned').length;
const ofOrders = personalData.filter((part) => part.ofOrders === 'indexed');

export interface EraseOptions {
  /** Called with the name of each part before it is erased. */
  readonly onPart?: (part: string) => void;
  readonly bounds?: BatchBounds;
}

/** What was erased, or what prevented it. */
type ErasureResult = Pick<Erasure, 'blockers' | 'erased' | 'paymentCustomerIds'>;

/** What became of a batch. Only one that says `more` or `ended` has changed anything. */
export type BatchOutcome = 'more' | 'ended' | 'waiting' | 'blocked';

/**
 * Erase a person from all data of the store, and return when it is done. Rows about the person alone are deleted; what
 * accounting needs (orders and their amounts, refunds, ratings in an average) stays, anonymised. Repeating it has no
 * effect, and continues what was begun. The audit log records the erasure, without the email address. Nothing is erased
 * while something of the person's is still in progress.
 */
export async function erasePersonalData(
  ctx: Context,
  { email }: { email: string },
  options: EraseOptions = {},
): Promise<ErasureResult> {
  const began = await transact(ctx, async (ctx) => {
    const erasure = await openErasure(ctx, email);
    const running = { ...erasure, state: 'running', startedAt: erasure.startedAt ?? ctx.clock.now() } as const;
    const { outcome, blockers, erased } = await eraseBatch(ctx, running, options);
    // A command may be killed: a worker continues what it began.
    if (outcome === 'more' && erasure.state !== 'running') await enqueueErasure(ctx, erasure.id);
    // Nothing is stored of a person of whom nothing was erased.
    if (erasure.isNew && Object.keys(erased).length === 0 && outcome !== 'more')
      await ctx.tx.execute(sql`delete from erasures where tenant_id = ${ctx.tenant.id} and id = ${erasure.id}`);
    return { id: erasure.id, outcome, blockers };
  });
  if (began.outcome === 'blocked' || began.outcome === 'waiting')
    return { blockers: began.blockers, erased: {}, paymentCustomerIds: [] };
  let outcome: BatchOutcome = began.outcome;
  while (outcome === 'more' || outcome === 'waiting') {
    if (outcome === 'waiting') await pause(seconds(1));
    outcome = await transact(ctx, (ctx) => continueErasure(ctx, began.id, options));
  }
  const { blockers, erased, paymentCustomerIds } = (await readErasure(ctx, began.id)) ?? emptyErasure;
  return { blockers, erased, paymentCustomerIds };
}

const emptyErasure: ErasureResult = { blockers: [], erased: {}, paymentCustomerIds: [] };

/** Erase the next batch of an erasure that was begun. */
export async function continueErasure(ctx: InTransaction, id: string, options?: EraseOptions): Promise<BatchOutcome> {
  const erasure = await lockErasure(ctx, id);
  if (erasure?.state !== 'running') return 'ended';
  return (await eraseBatch(ctx, erasure, options)).outcome;
}

interface BatchResult {
  readonly outcome: BatchOutcome;
  readonly blockers: readonly string[];
  readonly erased: RowsByPart;
}

/**
 * Erase a batch. What was done is saved with it, so that a process that is killed repeats nothing and leaves out nothing.
 * What arrives meanwhile is erased, too: the last batch goes through all parts. An order or a return that begins meanwhile
 * is not: the erasure is then blocked, with what was not erased yet.
 */
async function eraseBatch(
  ctx: InTransaction,
  erasure: Erasure,
  { onPart = () => undefined, bounds = defaultBounds }: EraseOptions = {},
): Promise<BatchResult> {
  // A plan made for other values would read whole tables for a person, or for orders, that an index finds.
  await ctx.tx.execute(sql`discard plans`);
  const found = await findDataSubject(ctx, erasure.email ?? '');
  const subject = { ...found, customerId: found.customerId ?? erasure.customerId };
  const next = { ...subject, orderIds: subject.orderIds.slice(0, bounds.orders) };
  await lockOrders(ctx, next);
  const isBegun = Object.keys(erasure.erased).length > 0;
  const stopped = await stopAtBlockers(ctx, erasure, isBegun ? next : subject);
  if (stopped) return stopped;

  const paymentCustomerIds = new Set([...erasure.paymentCustomerIds, ...(await paymentCustomersOf(ctx, subject))]);
  const { erased, step, ordersLeft, isFromFirst } = await eraseParts(ctx, erasure, subject, next, { onPart, bounds });
  const state = { ...erasure, erased, paymentCustomerIds: [...paymentCustomerIds], customerId: subject.customerId };
  const isComplete = step === steps.length && isFromFirst;
  if (isComplete) await complete(ctx, state);
  else await saveErasure(ctx, { ...state, step: step < steps.length ? step : 0, ordersLeft });
  return { outcome: isComplete ? 'ended' : 'more', blockers: [], erased };
}

/** @returns the result of a batch that erases nothing, as something of the person's is in progress */
async function stopAtBlockers(
  ctx: InTransaction,
  erasure: Erasure,
  subject: KnownSubject,
): Promise<BatchResult | undefined> {
  const { blockers, isDelivering } = await erasureBlockers(ctx, subject);
  if (isDelivering) return { ...erasure, outcome: 'waiting', blockers: [...blockers, beingDelivered] };
  if (blockers.length === 0) return undefined;
  // Until it is continued, more may be stored about the orders that are left.
  await saveErasure(ctx, { ...erasure, state: 'blocked', blockers, step: 0 });
  return { ...erasure, outcome: 'blocked', blockers };
}

/** Erase part after part from where the last batch ended: those that are scanned, the next orders, then the rest. */
async function eraseParts(
  ctx: InTransaction,
  erasure: Erasure,
  subject: DataSubject,
  next: DataSubject,
  { onPart, bounds }: Required<EraseOptions>,
): Promise<Pick<Erasure, 'erased' | 'step' | 'ordersLeft'> & { readonly isFromFirst: boolean }> {
  const erased: Record<string, number> = { ...erasure.erased };
  let rows = 0;
  const erase = async (part: PersonalData | undefined, of: DataSubject, rowsMax: number): Promise<boolean> => {
    if (!part) return true;
    onPart(part.name);
    const count = await part.erase(ctx, of, rowsMax);
    if (count > 0) erased[part.name] = (erased[part.name] ?? 0) + count;
    rows += count;
    return count < rowsMax;
  };

  const orderCount = subject.orderIds.length;
  // Of orders that arrived meanwhile, what is found by reading all rows goes first, too.
  let step = orderCount > erasure.ordersLeft ? 0 : erasure.step;
  const isFromFirst = step === 0;
  while (step < scannedSteps && rows < bounds.rows) {
    if (await erase(steps[step], subject, bounds.rows * scannedFactor)) step += 1;
  }
  if (step < scannedSteps) return { erased, step, ordersLeft: orderCount, isFromFirst };

  if (next.orderIds.length > 0) {
    // Found through the orders alone, so that the rest of the person's rows are not searched each time.
    const orders = { email: null, customerId: null, orderIds: next.orderIds };
    for (const part of ofOrders) await erase(part, orders, noLimit);
  }
  const ordersLeft = orderCount - next.orderIds.length;
  const rest = { ...subject, orderIds: [] };
  while (step < steps.length && rows < bounds.rows && ordersLeft === 0) {
    if (await erase(steps[step], rest, bounds.rows)) step += 1;
  }
  return { erased, step, ordersLeft, isFromFirst };
}

export const beingDelivered = 'a webhook about this person is being delivered: try again in a minute';

/** All parts were gone through in one transaction, so that nothing is left. */
async function complete(ctx: InTransaction, erasure: Erasure): Promise<void> {
  await saveErasure(ctx, { ...erasure, customerId: null, blockers: [], step: 0, ordersLeft: 0 });
  await ctx.tx.execute(sql`
    update erasures set state = 'completed', email = null, finished_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${erasure.id}`);
  if (Object.keys(erasure.erased).length === 0) return;
  const subject = { subjectKind: 'person', subjectId: erasure.auditSubjectId };
  await recordAudit(
    { ...ctx, actor: erasure.requestedBy },
    { action: 'person.erased', ...subject, after: { rows: erasure.erased } },
  );
}

/** The orders must not change between the check for blockers and the commit. */
async function lockOrders(ctx: InTransaction, { orderIds }: DataSubject): Promise<void> {
  await ctx.tx.execute(sql`
    select id from orders where tenant_id = ${ctx.tenant.id} and id = any(${orderIds}) order by id for update`);
}

async function paymentCustomersOf(ctx: InTransaction, { email, customerId }: DataSubject): Promise<string[]> {
  const rows = await ctx.tx.execute<{ id: string }>(sql`
    select payment_customer_id as id from customer_payment_ids
    where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}
    union select payment_customer_id from subscriptions
      where tenant_id = ${ctx.tenant.id} and ${lowerCase(sql`email`)} = ${email}`);
  return rows.map(({ id }) => id).filter((id) => id !== '');
}
