import { joinSql, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { coreTypes, funnelSteps, paidType } from './event-input.ts';

/**
 * Common table expressions that add the events of `source`, a relation with the columns of analytics_events, to the
 * roll-ups. Aggregation and recalculation both use them, so their results are the same. Bots are not counted. Rows are
 * written in a fixed order, so that concurrent transactions cannot deadlock; it starts with the most selective column,
 * which is fastest to sort.
 */
export function rollUp(source: Sql): Sql {
  return sql`
    counted as (
      select tenant_id, occurred_at, (occurred_at at time zone 'UTC')::date as day,
        case when type = any(${[...coreTypes]}::text[]) then type else 'other' end as type,
        ${stepOfType} as step,
        md5(coalesce(session_id, anonymous_id, visitor))::uuid as session,
        case when ${isSale} then value_cents end as revenue
      from ${source} where not bot),
    hours as (
      insert into analytics_hours as h (tenant_id, hour, type, events, revenue_cents)
      select tenant_id, date_trunc('hour', occurred_at, 'UTC'), type, count(*), coalesce(sum(revenue), 0)
      from counted group by 2, 3, 1 order by 2, 3, 1
      on conflict (tenant_id, hour, type) do update
        set events = h.events + excluded.events, revenue_cents = h.revenue_cents + excluded.revenue_cents),
    took as (
      insert into analytics_sessions (tenant_id, day, step, session)
      select c.tenant_id, c.day, taken.step, c.session
      from counted c, lateral (values ('any'), (c.step)) as taken(step)
      where c.session is not null and taken.step is not null
      group by 4, 3, 2, 1 order by 4, 3, 2, 1
      on conflict do nothing
      returning tenant_id, day, step),
    days as (
      insert into analytics_days as d (tenant_id, day, events, sessions, viewed, cart, checkout, paid, orders,
        revenue_cents)
      select tenant_id, day, sum(events), sum(sessions), sum(viewed), sum(cart), sum(checkout), sum(paid), sum(orders),
        sum(revenue)
      from (
        select tenant_id, day, count(*) as events, 0 as sessions, 0 as viewed, 0 as cart, 0 as checkout, 0 as paid,
          count(revenue) as orders, coalesce(sum(revenue), 0) as revenue
        from counted group by 1, 2
        union all
        select tenant_id, day, 0, ${countOf('any')}, ${joinSql(
          funnelSteps.map(({ step }) => countOf(step)),
          ', ',
        )}, 0, 0
        from took group by 1, 2
      ) as added group by 1, 2 order by 1, 2
      on conflict (tenant_id, day) do update set
        events = d.events + excluded.events, sessions = d.sessions + excluded.sessions,
        viewed = d.viewed + excluded.viewed, cart = d.cart + excluded.cart,
        checkout = d.checkout + excluded.checkout, paid = d.paid + excluded.paid,
        orders = d.orders + excluded.orders, revenue_cents = d.revenue_cents + excluded.revenue_cents)`;
}

/** Only events of the store's ledger are sales. */
const isSale = rawSql(`(source = 'ledger' and type = '${paidType}')`);

const stepOfType = rawSql(
  `case ${funnelSteps.map(({ step, type }) => `when type = '${type}' then '${step}'`).join(' ')} end`,
);

const countOf = (step: string) => rawSql(`count(*) filter (where step = '${step}')`);
