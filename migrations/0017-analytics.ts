import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/**
 * The events that storefronts send. A batch is stored as it came until it is aggregated; aggregated events are in
 * partitions by day, their ids in partitions by week. The code creates partitions before they are needed, and there is
 * no default partition: a row in it would prevent creating the partition that it belongs to.
 */
export class Analytics extends Migration {
  override up(): void {
    this.addSql(`
      create table analytics_batches (
        tenant_id ${id} not null,
        id ${id} not null,
        received_at timestamptz not null,
        source text not null check (source in ('client', 'ledger')),
        bot boolean not null,
        visitor text,
        event_count int not null check (event_count > 0),
        -- json, not jsonb: it is stored as it came and read once.
        events json not null,
        primary key (tenant_id, id)
      ) with (
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000
      );
      -- A batch lives for half a second, so compression is not worth its cost.
      alter table analytics_batches alter column events set storage external;
      create index analytics_batches_by_age on analytics_batches (received_at);
      ${tenantTable('analytics_batches')}

      -- Batches that cannot be aggregated. They wait for an operator here, so that they do not block other batches.
      create table analytics_quarantine (
        tenant_id ${id} not null,
        id ${id} not null,
        received_at timestamptz not null,
        source text not null,
        bot boolean not null,
        visitor text,
        event_count int not null,
        events json not null,
        -- PostgreSQL's error code.
        reason text not null,
        quarantined_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index analytics_quarantine_by_age on analytics_quarantine (received_at);
      ${tenantTable('analytics_quarantine')}

      create table analytics_event_ids (
        tenant_id ${id} not null,
        event_id uuid not null,
        week date not null,
        primary key (tenant_id, event_id, week)
      ) partition by range (week);
      ${tenantTable('analytics_event_ids')}

      create table analytics_events (
        tenant_id ${id} not null,
        event_id uuid not null,
        received_on date not null,
        received_at timestamptz not null,
        occurred_at timestamptz not null,
        type text not null,
        source text not null,
        bot boolean not null,
        visitor text,
        session_id text,
        anonymous_id text,
        customer_id text,
        order_id text,
        cart_id text,
        product_slug text,
        variant_id text,
        value_cents bigint,
        currency text,
        properties jsonb
      ) partition by range (received_on);
      create index analytics_events_by_time on analytics_events (tenant_id, occurred_at);
      ${tenantTable('analytics_events')}

      -- Which sessions took which step of the funnel on which day: a set, so that each counts once.
      create table analytics_sessions (
        tenant_id ${id} not null,
        day date not null,
        step text not null,
        session uuid not null,
        primary key (tenant_id, day, step, session)
      ) partition by range (day);
      ${tenantTable('analytics_sessions')}

      create table analytics_hours (
        tenant_id ${id} not null,
        hour timestamptz not null,
        type text not null,
        events bigint not null check (events >= 0),
        revenue_cents bigint not null check (revenue_cents >= 0),
        primary key (tenant_id, hour, type)
      );
      create index analytics_hours_by_age on analytics_hours (hour);
      ${tenantTable('analytics_hours')}

      create table analytics_days (
        tenant_id ${id} not null,
        day date not null,
        events bigint not null check (events >= 0),
        sessions bigint not null check (sessions >= 0),
        viewed bigint not null check (viewed >= 0),
        cart bigint not null check (cart >= 0),
        checkout bigint not null check (checkout >= 0),
        paid bigint not null check (paid >= 0),
        orders bigint not null check (orders >= 0),
        revenue_cents bigint not null check (revenue_cents >= 0),
        primary key (tenant_id, day)
      );
      create index analytics_days_by_age on analytics_days (day);
      ${tenantTable('analytics_days')}
    `);
  }
}
