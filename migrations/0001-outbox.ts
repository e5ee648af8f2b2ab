import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Jobs and events, written in the transaction that causes them. */
export class Outbox extends Migration {
  override up(): void {
    this.addSql(`
      -- A job is in exactly one of four states: due, relayed, finished or failed. Exactly one of next_relay_at,
      -- finished_at and failed_at is set; relays is 0 while a job is due. A finished job stays for a while, so that
      -- enqueuing the same job again (tenant, job, key) has no effect.
      create table outbox (
        id ${id} primary key,
        tenant_id ${id},
        job text not null,
        queue text not null,
        key text not null,
        payload jsonb not null,
        request_id text,
        trace jsonb not null,
        due_at timestamptz not null,
        next_relay_at timestamptz,
        relays int not null default 0,
        starts int not null default 0,
        -- When its first attempt began; an operator's retry begins anew.
        first_started_at timestamptz,
        finished_at timestamptz,
        failed_at timestamptz,
        failure text,
        -- Whether an operator retried it after it had failed.
        manual boolean not null default false,
        created_at timestamptz not null default now(),
        unique nulls not distinct (tenant_id, job, key),
        constraint outbox_state check (num_nonnulls(next_relay_at, finished_at, failed_at) = 1 and relays >= 0)
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
      -- The relay claims by queue and store; jobs that belong to no store count as those of one.
      create index outbox_due on outbox (queue, next_relay_at) where relays = 0 and next_relay_at is not null;
      create index outbox_due_by_store on outbox (queue, coalesce(tenant_id, 'platform'), next_relay_at)
        where relays = 0 and next_relay_at is not null;
      create index outbox_relayed on outbox (queue, coalesce(tenant_id, 'platform'), next_relay_at)
        where relays > 0 and next_relay_at is not null;
      create index outbox_finished on outbox (finished_at) where finished_at is not null;
      -- Retention reads all queues by time; the relay and an operator's retry read one.
      create index outbox_failed on outbox (failed_at) where failed_at is not null;
      create index outbox_failed_by_queue on outbox (queue, failed_at) where failed_at is not null;

      -- What happened in a store, for webhooks. Retention reads all stores by time.
      create table events (
        tenant_id ${id} not null,
        id ${id} not null,
        type text not null,
        object_id ${id} not null,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index events_by_object on events (tenant_id, object_id);
      create index events_by_age on events (created_at);
      ${tenantTable('events')}
    `);
  }
}
