import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Who works for a store, how they sign in, and what they confirm with a second factor. */
export class Staff extends Migration {
  override up(): void {
    this.addSql(`
      -- A member stays when revoked, because the audit log names it.
      create table staff (
        tenant_id ${id} not null,
        id ${id} not null,
        email text not null,
        name text not null,
        role text not null check (role in ('owner', 'manager', 'fulfilment', 'support', 'analyst')),
        revoked_at timestamptz,
        -- First, since they were invited or invited again.
        signed_in_at timestamptz,
        totp_secret_sealed text,
        -- Null while the member has not shown yet that the app makes the right codes.
        totp_confirmed_at timestamptz,
        -- The time step of the last code: neither it nor an earlier one is accepted again.
        totp_step bigint not null default 0,
        wrong_codes int not null default 0,
        wrong_codes_since timestamptz,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, email)
      );
      ${tenantTable('staff')}

      -- A row per request, whether the email belongs to a member or not.
      create table staff_links (
        tenant_id ${id} not null,
        id ${id} not null,
        email text not null,
        token_hash bytea not null,
        -- A keyed hash of the client network, for the limit; null for an invitation.
        client_hash bytea,
        -- Set by the worker. It is never reported, since it would reveal who is a member.
        outcome text check (outcome in ('mailed', 'unknown_address', 'too_late', 'too_many')),
        expires_at timestamptz not null,
        used_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, token_hash)
      );
      create index staff_links_of_address on staff_links (tenant_id, email, created_at, id);
      create index staff_links_of_client on staff_links (tenant_id, client_hash, created_at)
        where client_hash is not null;
      create index staff_links_by_expiry on staff_links (expires_at);
      ${tenantTable('staff_links')}

      create table staff_sessions (
        tenant_id ${id} not null,
        id ${id} not null,
        staff_id ${id} not null,
        token_hash bytea not null,
        idle_expires_at timestamptz not null,
        expires_at timestamptz not null,
        -- Until when the second factor counts.
        verified_until timestamptz,
        ended_at timestamptz,
        end_reason text check (end_reason in ('signed_out', 'revoked', 'staff_revoked')),
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, token_hash),
        foreign key (tenant_id, staff_id) references staff (tenant_id, id) on delete cascade,
        check ((ended_at is null) = (end_reason is null))
      );
      create index staff_sessions_of_staff on staff_sessions (tenant_id, staff_id, id);
      create index staff_sessions_by_expiry on staff_sessions (expires_at);
      ${tenantTable('staff_sessions')}

      create table staff_recovery_codes (
        tenant_id ${id} not null,
        staff_id ${id} not null,
        code_hash bytea not null,
        used_at timestamptz,
        primary key (tenant_id, staff_id, code_hash),
        foreign key (tenant_id, staff_id) references staff (tenant_id, id) on delete cascade
      );
      ${tenantTable('staff_recovery_codes')}
    `);
  }
}
