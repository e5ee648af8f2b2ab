import { notifyRestock } from '#jobs/leads.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { opaque, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import { lockVariants } from './move-stock.ts';

/**
 * A change of one variant's stock by the owner: none without a quantity or difference. The variant is named by id, by
 * SKU, or by both.
 */
export interface StockChange {
  /** Where it stands in the body of the request. */
  readonly path?: string | undefined;
  readonly variantId?: string | undefined;
  readonly sku?: string | undefined;
  /** The new quantity on hand; null stops tracking the stock. Below zero only where it already is. */
  readonly quantity?: number | null | undefined;
  /** The difference to the quantity on hand, which may be negative. Only used without `quantity`. */
  readonly change?: number | undefined;
  /** Apply the change only if this is the quantity on hand, or the new one is already. */
  readonly ifQuantity?: number | null | undefined;
}

/** A variant's stock before and after a change. Null is not tracked. */
export interface StockMove {
  readonly variantId: string;
  readonly sku: string;
  readonly before: number | null;
  readonly after: number | null;
  /** The quantity that open checkouts hold. */
  readonly held: number;
}

/** A larger quantity on hand, after repeated changes, is taken for a typing mistake. */
const onHandMax = 1_000_000_000;

type Problem = 'unknown' | 'named_twice' | 'changed_meanwhile' | 'not_tracked' | 'below_zero' | 'too_many';

/** A change that cannot be made. The stock is known where the variant is. */
interface RejectedChange {
  readonly index: number;
  readonly problem: Problem;
  readonly variantId: string | null;
  readonly sku: string | null;
  readonly before: number | null;
  readonly after: number | null;
}

/**
 * A row of the statement: a problem, or else the change, and whether a variant that was sold out is available again.
 */
type Outcome =
  | RejectedChange
  | (StockMove & { readonly problem: null; readonly movementId: string; readonly isBack: boolean });

/**
 * Set or adjust the stock of several variants, all or nothing, and write the ledger. A variant that was sold out and is
 * available again enqueues the notification of its waitlist.
 * @returns each change, in the order of the input
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
  const locked = await lockVariants(
    ctx,
    sql`
    select coalesce(w."variantId", (
      select id from variants v
      where v.tenant_id = ${opaque(ctx.tenant.id)} and v.sku = w.sku and v.removed_at is null)) as id
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w("variantId" text, sku text)`,
  );
  const idOf = new Map(locked.flatMap(({ id, sku, isRemoved }) => (isRemoved ? [] : [[sku, id] as const])));
  const given = wanted.map((change) => ({ ...change, id: change.variantId ?? idOf.get(change.sku ?? '') }));
  const rows = await ctx.tx.execute<Outcome>(sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as w(index int, "movementId" text, id text, sku text, sets boolean, quantity int, change int, expects boolean,
             "ifQuantity" int)),
    present as (
      select v.id, v.sku, v.stock, v.backorder
      from (select distinct id from given) as g cross join lateral (
        select * from variants v
        where v.tenant_id = ${opaque(ctx.tenant.id)} and v.id = g.id and case when v.removed_at is null then true end
        offset 0) as v),
    checked as (
      select g.*, p.sku as named, p.stock as before, case when g.sets then g.quantity else p.stock + coalesce(g.change, 0) end as after,
        case
          when p.id is null or p.sku <> g.sku then 'unknown'
          when count(*) over (partition by g.id) > 1 then 'named_twice'
          when g.expects and p.stock is distinct from g."ifQuantity"
            and not (g.sets and p.stock is not distinct from g.quantity) then 'changed_meanwhile'
          when not g.sets and p.stock is null and g.change is not null then 'not_tracked'
          when not g.sets and p.stock + g.change < 0 and not p.backorder then 'below_zero'
          when g.sets and g.quantity < 0 and g.quantity is distinct from p.stock then 'below_zero'
          when abs(case when g.sets then g.quantity else p.stock + g.change end) > ${onHandMax} then 'too_many'
        end as problem
      from given g left join present p on p.id = g.id),
    moved as (
      update variants v set stock = c.after from checked c
      where v.tenant_id = ${opaque(ctx.tenant.id)} and v.id = c.id and v.id = any(array(select id from checked))
        and not exists (select from checked where problem is not null)
      returning v.id, v.sku, c.index, c."movementId", c.before, c.after, v.stock_held as held, c.sets,
        coalesce(c.after, 0) - coalesce(c.before, 0) as quantity,
        coalesce(c.before <= v.stock_held and coalesce(c.after > v.stock_held, true), false) as is_back),
    ledger as (
      insert into stock_movements (tenant_id, id, variant_id, quantity, reason, at)
      select ${ctx.tenant.id}, "movementId", id, quantity, case when sets then 'set' else 'adjusted' end,
        ${ctx.clock.now()}::timestamptz
      from moved where quantity <> 0)
    select index, problem, id as "variantId", named as sku, null as "movementId", before, after, null::int as held,
      false as "isBack"
    from checked where problem is not null
    union all
    select index, null, id, sku, "movementId", before, after, held, is_back from moved
    order by index`);
  return rows.map((row) => {
    if (row.problem !== null) throw errorOf(row, changes[row.index], rows);
    const { variantId, sku, movementId, before, after, held } = row;
    if (row.isBack) enqueue(ctx, notifyRestock, { variantId, movementId, number: 1 });
    return { variantId, sku, before, after, held };
  });
}

function errorOf(
  { sku, problem }: RejectedChange,
  change: StockChange | undefined,
  rows: readonly Outcome[],
): DomainError {
  const subject = sku ?? change?.sku ?? change?.variantId ?? 'The variant';
  const invalid = (detail: string) =>
    invalidRequest(`${subject} ${detail}.`, { path: change?.path ?? '', code: problem, detail });
  switch (problem) {
    case 'unknown':
      return new DomainError('not_found', 'not_found', `There is no variant ${named(change)}.`);
    case 'changed_meanwhile':
      return new DomainError('conflict', 'version_conflict', `The stock of ${subject} has changed since it was read.`);
    case 'below_zero':
      return new DomainError('conflict', 'insufficient_stock', `The stock of ${subject} would fall below zero.`, {
        extensions: { items: rows.filter(isBelowZero).map(shortItem) },
      });
    case 'not_tracked':
      return invalid('is not tracked');
    case 'too_many':
      return invalid(`cannot be more than ${onHandMax}`);
    case 'named_twice':
      return invalid('is named twice');
  }
}

/** How a change names its variant. */
const named = ({ variantId, sku }: StockChange = {}): string =>
  variantId && sku ? `${variantId} with the SKU ${sku}` : (variantId ?? sku ?? '');

const isBelowZero = (row: Outcome): row is RejectedChange => row.problem === 'below_zero';

/** How many units the change takes, and how many there are. */
function shortItem({ variantId, before, after }: RejectedChange) {
  const onHand = before ?? 0;
  return { variant_id: variantId, requested: onHand - (after ?? 0), available: Math.max(onHand, 0) };
}
