import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Links to sign in, the sessions that they opened, and the refresh tokens of those. */
export class Sessions extends Migration {
  override up(): void {
    this.addSql(`
      -- A row per request, whether the email belongs to a customer or not.
      create table sign_in_links (
        tenant_id ${id} not null,
        id ${id} not null,
        email text not null,
        token_hash bytea not null,
        -- The number of the session secret that made the token.
        secret_number int not null,
        code_challenge text,
        redirect_path text,
        -- A keyed hash of the client network, for the limit; null when it is unknown.
        client_hash bytea,
        -- Set by the worker. It is never reported, since it would reveal who is a customer.
        outcome text check (outcome in ('mailed', 'unknown_address', 'switched_off', 'too_late', 'too_many')),
        expires_at timestamptz not null,
        used_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, token_hash)
      );
      create index sign_in_links_of_address on sign_in_links (tenant_id, email, created_at, id);
      create index sign_in_links_of_client on sign_in_links (tenant_id, client_hash, created_at)
        where client_hash is not null;
      create index sign_in_links_by_expiry on sign_in_links (expires_at);
      ${tenantTable('sign_in_links')}

      -- A session is a family of refresh tokens, which end together.
      create table sessions (
        tenant_id ${id} not null,
        id ${id} not null,
        customer_id ${id} not null,
        secret_number int not null,
        refresh_expires_at timestamptz not null,
        ended_at timestamptz,
        end_reason text check (end_reason in ('signed_out', 'token_reused')),
        created_at timestamptz not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, customer_id) references customers (tenant_id, id) on delete cascade,
        check ((ended_at is null) = (end_reason is null))
      );
      create index sessions_of_customer on sessions (tenant_id, customer_id, id);
      create index sessions_by_expiry on sessions (refresh_expires_at);
      ${tenantTable('sessions')}

      -- Every refresh token of a session, rotated ones too: using one of those again ends the session.
      create table refresh_tokens (
        tenant_id ${id} not null,
        token_hash bytea not null,
        session_id ${id} not null,
        rotated_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, token_hash),
        foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
      );
      create index refresh_tokens_of_session on refresh_tokens (tenant_id, session_id);
      create unique index refresh_tokens_live on refresh_tokens (tenant_id, session_id) where rotated_at is null;
      create index refresh_tokens_rotated on refresh_tokens (rotated_at) where rotated_at is not null;
      ${tenantTable('refresh_tokens')}
    `);
  }
}
