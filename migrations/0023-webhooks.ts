import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Endpoints of integrators, the deliveries to each, and every attempt. */
export class Webhooks extends Migration {
  override up(): void {
    this.addSql(`
      create table webhook_endpoints (
        tenant_id ${id} not null,
        id ${id} not null,
        url text not null,
        events jsonb not null,
        concurrency int not null check (concurrency between 1 and 32),
        rate_per_second int check (rate_per_second between 1 and 1000),
        secret_sealed text not null,
        -- Those that were replaced within a day, as a list with the end of each.
        retiring_secrets_sealed text,
        disabled_at timestamptz,
        disabled_reason text check (disabled_reason in ('owner', 'gone', 'failing')),
        failing_since timestamptz,
        failures int not null default 0 check (failures >= 0),
        failures_in_row int not null default 0 check (failures_in_row >= 0),
        warnings int not null default 0 check (warnings >= 0),
        -- When the latest warning was sent.
        warned_at timestamptz,
        last_success_at timestamptz,
        breaker_openings int not null default 0 check (breaker_openings >= 0),
        breaker_open_until timestamptz,
        paced_until timestamptz,
        -- When a job was enqueued that will look for its due deliveries, so that new ones need none of their own.
        woken_at timestamptz,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, url),
        check ((disabled_at is null) = (disabled_reason is null))
      ) with (fillfactor = 70);
      -- For operators, who see those of all stores.
      create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null;
      create index webhook_endpoints_disabled on webhook_endpoints (disabled_reason) where disabled_reason is not null;
      create index webhook_endpoints_paused on webhook_endpoints (breaker_open_until)
        where breaker_open_until is not null;
      ${tenantTable('webhook_endpoints')}

      create table webhook_endpoint_leases (
        tenant_id ${id} not null,
        endpoint_id ${id} not null,
        number int not null,
        width int not null check (width > 0),
        holder text,
        token text,
        leased_until timestamptz,
        primary key (tenant_id, endpoint_id, number),
        foreign key (tenant_id, endpoint_id) references webhook_endpoints (tenant_id, id) on delete cascade
      ) with (fillfactor = 50);
      ${tenantTable('webhook_endpoint_leases')}

      create table webhook_deliveries (
        tenant_id ${id} not null,
        id ${id} not null,
        endpoint_id ${id} not null,
        event_id ${id} not null,
        state text not null check (state in ('pending', 'delivered', 'failed', 'discarded')),
        attempt_count int not null default 0 check (attempt_count >= 0),
        round_count int not null default 0 check (round_count between 0 and attempt_count),
        next_attempt_at timestamptz,
        lease_token text,
        last_status int,
        last_failure text,
        created_at timestamptz not null,
        finished_at timestamptz,
        primary key (tenant_id, id),
        -- Begins with the event, because deleting an event looks up its deliveries. What began with the store would be
        -- read as a whole for one with many, where most have few.
        unique (event_id, tenant_id, endpoint_id),
        foreign key (tenant_id, endpoint_id) references webhook_endpoints (tenant_id, id) on delete cascade,
        foreign key (tenant_id, event_id) references events (tenant_id, id),
        check ((state = 'pending') = (next_attempt_at is not null)),
        check ((state = 'pending') = (finished_at is null))
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
      create index webhook_deliveries_due on webhook_deliveries (tenant_id, endpoint_id, next_attempt_at)
        where state = 'pending';
      -- Finds a leased batch when its outcomes are recorded, whatever the statistics of the table say.
      create index webhook_deliveries_leased on webhook_deliveries (tenant_id, lease_token)
        where lease_token is not null;
      create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, tenant_id, id);
      -- With the time, which the overview reads of each that failed.
      create index webhook_deliveries_by_state on webhook_deliveries (tenant_id, endpoint_id, state, id)
        include (finished_at) where state <> 'delivered';
      -- For operators and retention, which read all stores at once.
      create index webhook_deliveries_failed on webhook_deliveries (id) include (tenant_id, finished_at)
        where state = 'failed';
      create index webhook_deliveries_by_age on webhook_deliveries (created_at);
      ${tenantTable('webhook_deliveries')}

      create table webhook_attempts (
        tenant_id ${id} not null,
        delivery_id ${id} not null,
        number int not null check (number > 0),
        at timestamptz not null,
        status int,
        failure text,
        duration_ms int not null,
        response text,
        -- What was sent: the version of the event's object.
        object_version int,
        primary key (tenant_id, delivery_id, number),
        foreign key (tenant_id, delivery_id) references webhook_deliveries (tenant_id, id) on delete cascade,
        check ((status is null) <> (failure is null))
      );
      ${tenantTable('webhook_attempts')}
    `);
  }
}
