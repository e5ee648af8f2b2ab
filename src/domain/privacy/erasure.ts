import { readPage } from '#src/database/read-page.ts';
import { readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Actor, Context, InTransaction } from '../context.ts';
import { nameInLog } from '../name-in-log.ts';

export const erasureStates = ['queued', 'previewed', 'running', 'blocked', 'completed', 'failed'] as const;

/** The number of rows by part. */
export type RowsByPart = Readonly<Record<string, number>>;

/** The erasure of a person: its preview, how far it has come, and what it did. */
export interface Erasure {
  readonly id: string;
  /** Null once it is completed. */
  readonly email: string | null;
  readonly customerId: string | null;
  /** The person's pseudonym in the audit log. */
  readonly auditSubjectId: string;
  readonly state: (typeof erasureStates)[number];
  /** Null until it was previewed. */
  readonly found: RowsByPart | null;
  readonly erased: RowsByPart;
  /** What is still in progress, each with what to do first. */
  readonly blockers: readonly string[];
  /** The customer's ids at the payment provider, whose own records have to be erased there. */
  readonly paymentCustomerIds: readonly string[];
  /** The part with which the next batch begins. */
  readonly step: number;
  /** How many orders the last batch knew and left to the next ones. */
  readonly ordersLeft: number;
  readonly failure: string | null;
  readonly requestedBy: Actor;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

const columns = sql`id, email, customer_id as "customerId", audit_subject_id as "auditSubjectId", state, found, erased, blockers,
  payment_customer_ids as "paymentCustomerIds", step, orders_left as "ordersLeft", failure, requested_by as "requestedBy",
  created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt"`;

/** @returns `undefined` for an unknown id */
export async function readErasure(ctx: Context, id: string): Promise<Erasure | undefined> {
  return readOne<Erasure>(ctx, sql`select ${columns} from erasures where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}

/**
 * One page of the erasures of a store, newest first.
 * @throws DomainError `invalid_cursor`
 */
export async function listErasures(ctx: Context, page: PageRequest): Promise<Page<Erasure>> {
  return readPage<Erasure>(
    ctx,
    { name: 'erasures', columns: ['id'], descending: true },
    page,
    (position) => sql`select ${columns}${position} from erasures where tenant_id = ${ctx.tenant.id}`,
  );
}

/** Find the erasure of a person that is not completed, or insert it, and lock it until the transaction ends. */
export async function openErasure(ctx: InTransaction, address: string): Promise<Erasure & { readonly isNew: boolean }> {
  const email = normaliseEmail(address);
  const requestedBy = JSON.stringify({ kind: ctx.actor.kind, id: ctx.actor.id });
  const [erasure] = await ctx.tx.execute<Erasure & { isNew: boolean }>(sql`
    insert into erasures as known (tenant_id, id, email, audit_subject_id, state, requested_by, created_at,
      updated_at)
    values (${ctx.tenant.id}, ${newId('era')}, ${email}, ${nameInLog(ctx, email)}, 'queued', ${requestedBy}::jsonb,
      ${ctx.clock.now()}, ${ctx.clock.now()})
    on conflict (tenant_id, email) where email is not null do update set state = known.state
    returning ${columns}, xmax = 0 as "isNew"`);
  if (!erasure) throw new TypeError('The insertion returned no row.');
  return erasure;
}

/** Lock an erasure until the transaction ends. */
export async function lockErasure(ctx: InTransaction, id: string): Promise<Erasure | undefined> {
  const [erasure] = await ctx.tx.execute<Erasure>(sql`
    select ${columns} from erasures where tenant_id = ${ctx.tenant.id} and id = ${id} for update`);
  return erasure;
}

/** Save what was erased, and with which part to continue. */
export async function saveErasure(
  ctx: InTransaction,
  {
    id,
    customerId,
    state,
    erased,
    blockers,
    paymentCustomerIds,
    step,
    ordersLeft,
    failure,
    found,
    requestedBy,
    startedAt,
  }: Erasure,
): Promise<void> {
  await ctx.tx.execute(sql`
    update erasures set customer_id = ${customerId}, state = ${state}, erased = ${JSON.stringify(erased)}::jsonb,
      blockers = ${JSON.stringify(blockers)}::jsonb, found = ${found && JSON.stringify(found)}::jsonb,
      payment_customer_ids = ${JSON.stringify(paymentCustomerIds)}::jsonb, step = ${step},
      orders_left = ${ordersLeft}, failure = ${failure}, requested_by = ${JSON.stringify(requestedBy)}::jsonb,
      started_at = ${startedAt},
      updated_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}
