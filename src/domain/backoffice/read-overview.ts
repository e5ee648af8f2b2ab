import { read, readOneOrFail } from '#src/database/transact.ts';
import { type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { hasNoLabel, isToShip } from '../orders/index.ts';
import type { Scope } from '../tenants/index.ts';
import {
  type AttentionReason,
  adviceFor,
  attentionKinds,
  attentionOfStore,
  concerns,
  countMax,
} from './attention-by-reason.ts';
import { AreasOfAdvice } from './present.ts';

const Count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: countMax, examples: [3], description: `${description} At most ${countMax}.` });

/** How many orders that are to be shipped, the oldest, are examined for those without a label. */
const examinedMax = 2000;

/** What waits for the people of a store. */
export const OverviewView = Type.Object(
  {
    /** What needs attention, by reason, the most severe kinds first. */
    attention: Type.Array(
      Type.Object({
        kind: Type.Enum([...attentionKinds], { examples: ['label'] }),
        code: Type.String({ examples: ['address_invalid'] }),
        count: Type.Integer({
          minimum: 1,
          maximum: countMax,
          examples: [3],
          description: `Of one kind at most ${countMax}.`,
        }),
        oldest_at: Timestamp,
        /** What happened. */
        message: Type.String({ examples: ['The carrier does not accept the shipping address.'] }),
        /** What to do about it. */
        next: Type.String({ examples: ['Correct the address with the shopper, then retry.'] }),
        areas: AreasOfAdvice,
      }),
    ),
    orders_to_ship: Count('Paid orders that are not shipped yet.'),
    orders_without_label: Count('Those of them for which no label is bought, or about to be.'),
    labels_in_progress: Count('Labels that a worker is about to buy.'),
    labels_purchased: Count('Labels that were bought for parcels that the carrier does not have yet.'),
    returns_requested: Count('Returns that wait for a decision.'),
    reviews_pending: Count('Reviews that wait for a decision.'),
  },
  { title: 'Overview' },
);
export type OverviewView = Static<typeof OverviewView>;

/** Read what waits for the people of a store. */
export async function readOverview(ctx: Context, scopes: readonly Scope[]): Promise<OverviewView> {
  const tenantId = ctx.tenant.id;
  const [attention, counts] = await Promise.all([
    read<AttentionReason>(ctx, attentionOfStore(tenantId)),
    readOneOrFail<Omit<OverviewView, 'attention'>>(
      ctx,
      sql`
      select
        ${countOf(sql`orders o where o.tenant_id = ${tenantId} and ${isToShip}`)} as orders_to_ship,
        ${countOf(sql`(
          select o.tenant_id, o.id, o.shipped_at from orders o where o.tenant_id = ${tenantId} and ${isToShip}
          order by o.created_at, o.id limit ${examinedMax}) as o where ${hasNoLabel}`)} as orders_without_label,
        ${countOf(sql`labels where tenant_id = ${tenantId}
          and state = any(array['queued', 'rate_chosen', 'buying'])`)} as labels_in_progress,
        ${countOf(sql`orders where tenant_id = ${tenantId} and fulfillment_status = 'label_purchased'`)}
          as labels_purchased,
        ${countOf(sql`returns where tenant_id = ${tenantId} and status = 'requested'`)} as returns_requested,
        ${countOf(sql`reviews where tenant_id = ${tenantId} and status = 'pending'`)} as reviews_pending`,
    ),
  ]);
  return {
    attention: attention
      .filter(({ kind }) => concerns(scopes, kind))
      .map(({ kind, code, count, oldestAt }) => {
        const { message, next, areas } = adviceFor({ kind, code });
        return { kind, code, count, oldest_at: oldestAt.toISOString(), message, next, areas: [...areas] };
      }),
    ...counts,
  };
}

const countOf = (rows: Sql): Sql => sql`(select count(*)::int from (select from ${rows} limit ${countMax}) as waiting)`;
