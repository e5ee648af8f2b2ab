import { notifyRestock } from '#jobs/leads.ts';
import { DomainError } from '#src/lib/errors.ts';
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

type Refused = 'unknown' | 'named_twice' | 'changed_meanwhile' | 'not_tracked' | 'below_zero';

/** What the statement answers: what stood against it, or else what was sold out and is back. */
type Answer =
  | { readonly index: number; readonly refused: Refused }
  | { readonly refused: null; readonly variantId: string; readonly movementId: string };

/**
 * Set or adjust the stock of several variants, all or nothing, and write the ledger, in one statement. Who waits for
 * one of which there was nothing to be had, and now is, will be told.
 * @throws DomainError not_found, `version_conflict` where `ifQuantity` no longer holds, `insufficient_stock` below zero
 */
export async function changeStock(ctx: InTransaction, changes: readonly StockChange[]): Promise<void> {
  const wanted = changes.map((change, index) => ({
    ...change, index, movementId: newId('mov'), sets: change.quantity !== undefined, expects: change.ifQuantity !== undefined,
  }));
  const rows = await ctx.tx.run<Answer>(sql`
    with given as (
      select w.*, coalesce(w."variantId", (
        select id from variants v where v.tenant_id = ${ctx.tenant.id} and v.sku = w.sku and v.removed_at is null)) as id
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as w(index int, "movementId" text, "variantId" text, sku text, sets boolean, quantity int, change int,
             expects boolean, "ifQuantity" int)),
    present as (
      select v.id, v.stock, v.backorder from variants v
      where v.tenant_id = ${ctx.tenant.id} and v.removed_at is null and v.id = any(select id from given)
      order by v.id for update),
    judged as (
      select g.*, p.stock as before, case when g.sets then g.quantity else p.stock + coalesce(g.change, 0) end as after,
        case
          when p.id is null then 'unknown'
          when count(*) over (partition by g.id) > 1 then 'named_twice'
          when g.expects and p.stock is distinct from g."ifQuantity" then 'changed_meanwhile'
          when not g.sets and p.stock is null then 'not_tracked'
          when not g.sets and p.stock + g.change < 0 and not p.backorder then 'below_zero'
        end as refused
      from given g left join present p on p.id = g.id),
    moved as (
      update variants v set stock = j.after from judged j
      where v.tenant_id = ${ctx.tenant.id} and v.id = j.id and not exists (select from judged where refused is not null)
      returning v.id, j."movementId", coalesce(j.after, 0) - coalesce(j.before, 0) as quantity, j.sets,
        j.before <= v.stock_held and coalesce(j.after > v.stock_held, true) as is_back),
    ledger as (
      insert into stock_movements (tenant_id, id, variant_id, quantity, reason, at)
      select ${ctx.tenant.id}, "movementId", id, quantity, case when sets then 'set' else 'adjusted' end,
        ${ctx.clock.now()}::timestamptz
      from moved where quantity <> 0)
    select index, refused, null as "variantId", null as "movementId" from judged where refused is not null
    union all select null, null, id, "movementId" from moved where is_back
    order by index`);
  for (const row of rows) {
    if (row.refused !== null) throw refuse(changes[row.index], row.refused);
    enqueue(ctx, notifyRestock, { variantId: row.variantId, movementId: row.movementId, number: 1 });
  }
}

function refuse(change: StockChange | undefined, reason: Refused): DomainError {
  const subject = change?.sku ?? change?.variantId ?? 'The variant';
  const invalid = (detail: string) => new DomainError('invalid', 'invalid_request', `${subject} ${detail}.`, {
    extensions: { errors: [{ path: '', code: reason, detail }] },
  });
  switch (reason) {
    case 'unknown':
      return new DomainError('not_found', 'not_found', `There is no variant ${subject}.`);
    case 'changed_meanwhile':
      return new DomainError('conflict', 'version_conflict', `The stock of ${subject} has changed meanwhile.`);
    case 'below_zero':
      return new DomainError('conflict', 'insufficient_stock', `The stock of ${subject} would fall below zero.`);
    case 'not_tracked':
      return invalid('is not tracked');
    case 'named_twice':
      return invalid('is named twice');
  }
}
