import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Links that were asked for to sign in, the sessions that they opened, and every refresh token of those. */
export class Sessions extends Migration {
  override up(): void {
    this.addSql(`
      -- A row per request, whether anybody has the address or not.
      create table sign_in_links (
        tenant_id ${id} not null,
        id ${id} not null,
        email text not null,
        token_hash bytea not null,
        -- Which of the store's secrets made the token.
        secret_number int not null,
        code_challenge text,
        redirect_path text,
        -- A keyed hash of where the request came from, to be counted; null where nobody knows.
        client_hash bytea,
        -- What became of it, once a worker has looked: nobody is told.
        outcome text check (outcome in ('mailed', 'unknown_address', 'switched_off', 'too_late', 'too_many')),
        expires_at timestamptz not null,
        used_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, token_hash)
      );
      create index sign_in_links_of_address on sign_in_links (tenant_id, email, created_at, id);
      create index sign_in_links_of_client on sign_in_links (tenant_id, client_hash, created_at) where client_hash is not null;
      create index sign_in_links_by_expiry on sign_in_links (expires_at);
      ${tenantTable('sign_in_links')}

      -- A session is a family of refresh tokens: it ends as one.
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

      -- Every token that a session ever had: an old one that comes back is known for what it is.
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
      ${tenantTable('refresh_tokens')}
    `);
  }
}
