import { asPlatform, read, readOne } from '#src/database/transact.ts';
import { addDays, type Day, dayNumber, dayOf, parseDay } from '#src/lib/calendar.ts';
import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../context.ts';
import { isOfStore } from '../tenants/index.ts';
import { funnelSteps } from './event-input.ts';

const DayText = Type.String({
  maxLength: 64,
  description: 'A day in UTC. A time after it is ignored.',
  examples: ['2026-11-20'],
});

/** The range of days, both included. Default: the last thirty days. */
export const PeriodQuery = Type.Object({ from: Type.Optional(DayText), to: Type.Optional(DayText) });
export type Period = Static<typeof PeriodQuery>;

const Count = Type.Integer({ minimum: 0, examples: [120] });

export const FunnelView = Type.Object({
  from: DayText,
  to: DayText,
  /** A session counts on each day on which it reached the step. */
  steps: Type.Array(Type.Object({ step: Type.Enum(funnelSteps.map(({ step }) => step)), sessions: Count })),
});

export const DailyView = Type.Object({
  days: Type.Array(
    Type.Object({
      day: DayText,
      events: Count,
      sessions: Count,
      orders: Count,
      revenue_cents: Type.Integer({ minimum: 0, examples: [182400] }),
    }),
  ),
});

export type FunnelReport = Static<typeof FunnelView>;
export type DailyReport = Static<typeof DailyView>;

/** The number of sessions that reached each step: viewed → cart → checkout → paid. Only paid orders count as paid. */
export async function funnel(ctx: Context, period: Period = {}): Promise<FunnelReport> {
  const { from, to } = readPeriod(ctx, period);
  const counts = await readOne<Record<string, number>>(
    ctx,
    sql`
    select coalesce(sum(viewed), 0)::int8 as viewed, coalesce(sum(cart), 0)::int8 as cart,
      coalesce(sum(checkout), 0)::int8 as checkout, coalesce(sum(paid), 0)::int8 as paid
    from analytics_days where tenant_id = ${ctx.tenant.id} and day >= ${from}::date and day <= ${to}::date`,
    { replica: true, expensive: true },
  );
  return { from, to, steps: funnelSteps.map(({ step }) => ({ step, sessions: counts?.[step] ?? 0 })) };
}

/** The numbers of each day in order, including days without events. */
export async function daily(ctx: Context, period: Period = {}): Promise<DailyReport> {
  const { from, to } = readPeriod(ctx, period);
  const days = await read<DailyReport['days'][number]>(
    ctx,
    sql`
    select to_char(each.day, 'YYYY-MM-DD') as day, coalesce(d.events, 0) as events, coalesce(d.sessions, 0) as sessions,
      coalesce(d.orders, 0) as orders, coalesce(d.revenue_cents, 0) as revenue_cents
    from generate_series(${from}::timestamp, ${to}::timestamp, interval '1 day') as each(day)
    left join analytics_days d on d.tenant_id = ${ctx.tenant.id} and d.day = each.day::date
    order by each.day`,
    { replica: true, expensive: true },
  );
  return { days };
}

const usualDays = 30;
const daysMax = 800;

/** @throws DomainError `invalid_request` for an invalid day or range */
function readPeriod(ctx: Context, period: Period): { from: Day; to: Day } {
  const to = readDay('to', period.to) ?? dayOf(ctx.clock.now());
  const from = readDay('from', period.from) ?? addDays(to, 1 - usualDays);
  if (from > to) throw invalidPeriod('/from', 'must not be after `to`');
  if (dayNumber(to) - dayNumber(from) >= daysMax)
    throw invalidPeriod('/from', `must be at most ${daysMax} days before the end`);
  return { from, to };
}

function readDay(name: string, text: string | undefined): Day | undefined {
  if (text === undefined) return undefined;
  const day = parseDay(text);
  if (!day) throw invalidPeriod(`/${name}`, 'must be a day such as 2026-11-20');
  return day;
}

function invalidPeriod(path: string, detail: string): DomainError {
  return invalidRequest(`${path.slice(1)} ${detail}.`, { path, code: 'period', detail });
}

/** A store's numbers of the last days, for operators. */
export interface TenantNumbers {
  readonly tenantId: string;
  readonly events: number;
  readonly sessions: number;
  readonly orders: number;
}

/** The stores with the most events in the last days, busiest first. */
export async function busiestTenants(
  ctx: PlatformContext,
  { days, limit }: { days: number; limit: number },
): Promise<TenantNumbers[]> {
  const from = addDays(dayOf(ctx.clock.now()), 1 - days);
  return asPlatform(ctx, 'operators see the numbers of all stores', (ctx) =>
    ctx.tx.execute<TenantNumbers>(sql`
    select tenant_id as "tenantId", sum(events)::int8 as events, sum(sessions)::int8 as sessions,
      sum(orders)::int8 as orders
    from analytics_days where day >= ${from}::date and ${isOfStore(sql`tenant_id`)}
    group by tenant_id order by sum(events) desc, tenant_id limit ${limit}`),
  );
}
