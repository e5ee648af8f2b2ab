import { notifyRestock } from '#jobs/leads.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';

/** What the owner says of the stock of a variant, named by id or SKU. */
export interface StockChange {
  readonly variantId?: string | undefined;
  readonly sku?: string | undefined;
  /** So many are on hand; null: no longer counted. */
  readonly quantity?: number | null | undefined;
  /** So many more, or (negative) fewer. Only where `quantity` is not given. */
  readonly change?: number | undefined;
  /** Only if so many are on hand now. */
  readonly ifQuantity?: number | null | undefined;
}

/** How the stock of a variant was changed. Null: not counted. */
export interface StockMove {
  readonly variantId: string;
  readonly sku: string;
  readonly before: number | null;
  readonly after: number | null;
  /** How many of it are held. */
  readonly held: number;
}

/** More of one variant than this is a slip of the pen. */
const quantityMax = 1_000_000_000;

type Refused = 'unknown' | 'named_twice' | 'changed_meanwhile' | 'not_tracked' | 'below_zero' | 'too_many';

/** What the statement answers: what stood against it, or else each move, and whether what was sold out is back. */
type Answer =
  | { readonly index: number; readonly refused: Refused }
  | (StockMove & { readonly refused: null; readonly movementId: string; readonly isBack: boolean });

/**
 * Set or adjust the stock of several variants, all or nothing, and write the ledger, in one statement. Who waits for
 * one of which there was nothing to be had, and now is, will be told.
 * @returns how each was changed, in the order in which they were given
 * @throws DomainError not_found, `version_conflict` where `ifQuantity` no longer holds, `insufficient_stock` below zero
 */
export async function changeStock(ctx: InTransaction, changes: readonly StockChange[]): Promise<StockMove[]> {
  const wanted = changes.map((change, index) => ({
    ...change,
    index,
    movementId: newId('mov'),
    sets: change.quantity !== undefined,
    expects: change.ifQuantity !== undefined,
  }));
  const rows = await ctx.tx.execute<Answer>(sql`
    with given as (
      select w.*, coalesce(w."variantId", (
        select id from variants v where v.tenant_id = ${ctx.tenant.id} and v.sku = w.sku and v.removed_at is null)) as id
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as w(index int, "movementId" text, "variantId" text, sku text, sets boolean, quantity int, change int,
             expects boolean, "ifQuantity" int)),
    present as (
      select v.id, v.stock, v.backorder from variants v
      where v.tenant_id = ${ctx.tenant.id} and v.removed_at is null and v.id = any(select id from given)
      order by v.id for no key update),
    judged as (
      select g.*, p.stock as before, case when g.sets then g.quantity else p.stock + coalesce(g.change, 0) end as after,
        case
          when p.id is null then 'unknown'
          when count(*) over (partition by g.id) > 1 then 'named_twice'
          when g.expects and p.stock is distinct from g."ifQuantity" then 'changed_meanwhile'
          when not g.sets and p.stock is null then 'not_tracked'
          when not g.sets and p.stock + g.change < 0 and not p.backorder then 'below_zero'
          when abs(case when g.sets then g.quantity else p.stock + g.change end) > ${quantityMax} then 'too_many'
        end as refused
      from given g left join present p on p.id = g.id),
    moved as (
      update variants v set stock = j.after from judged j
      where v.tenant_id = ${ctx.tenant.id} and v.id = j.id and not exists (select from judged where refused is not null)
      returning v.id, v.sku, j.index, j."movementId", j.before, j.after, v.stock_held as held, j.sets,
        coalesce(j.after, 0) - coalesce(j.before, 0) as quantity,
        coalesce(j.before <= v.stock_held and coalesce(j.after > v.stock_held, true), false) as is_back),
    ledger as (
      insert into stock_movements (tenant_id, id, variant_id, quantity, reason, at)
      select ${ctx.tenant.id}, "movementId", id, quantity, case when sets then 'set' else 'adjusted' end,
        ${ctx.clock.now()}::timestamptz
      from moved where quantity <> 0)
    select index, refused, null as "variantId", null as sku, null as "movementId", null::int as before,
      null::int as after, null::int as held, false as "isBack"
    from judged where refused is not null
    union all
    select index, null, id, sku, "movementId", before, after, held, is_back from moved
    order by index`);
  return rows.map((row) => {
    if (row.refused !== null) throw refuse(changes[row.index], row.refused);
    const { variantId, sku, movementId, before, after, held } = row;
    if (row.isBack) enqueue(ctx, notifyRestock, { variantId, movementId, number: 1 });
    return { variantId, sku, before, after, held };
  });
}

function refuse(change: StockChange | undefined, reason: Refused): DomainError {
  const subject = change?.sku ?? change?.variantId ?? 'The variant';
  const invalid = (detail: string) => invalidRequest(`${subject} ${detail}.`, { path: '', code: reason, detail });
  switch (reason) {
    case 'unknown':
      return new DomainError('not_found', 'not_found', `There is no variant ${subject}.`);
    case 'changed_meanwhile':
      return new DomainError('conflict', 'version_conflict', `The stock of ${subject} has changed meanwhile.`);
    case 'below_zero':
      return new DomainError('conflict', 'insufficient_stock', `The stock of ${subject} would fall below zero.`);
    case 'not_tracked':
      return invalid('is not tracked');
    case 'too_many':
      return invalid(`cannot be more than ${quantityMax}`);
    case 'named_twice':
      return invalid('is named twice');
  }
}
