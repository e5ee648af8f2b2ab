import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Partners who refer shoppers, the visits and orders that they referred, and applications to become a partner. */
export class Partners extends Migration {
  override up(): void {
    this.addSql(`
      create table partners (
        tenant_id ${id} not null,
        id ${id} not null,
        code text not null,
        name text not null,
        commission_percent numeric(7, 4) not null check (commission_percent between 0 and 100),
        discount_percent numeric(7, 4) not null check (discount_percent between 0 and 100),
        window_ms bigint not null check (window_ms > 0),
        version int not null default 1,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        removed_at timestamptz,
        primary key (tenant_id, id),
        unique (tenant_id, code)
      );
      ${tenantTable('partners')}

      create table partner_referrals (
        tenant_id ${id} not null,
        id ${id} not null,
        partner_id ${id} not null,
        session_id text,
        landing_url text,
        visits int not null default 1,
        first_seen_at timestamptz not null,
        last_seen_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, session_id, partner_id),
        foreign key (tenant_id, partner_id) references partners (tenant_id, id)
      );
      create index partner_referrals_by_partner on partner_referrals (tenant_id, partner_id, last_seen_at);
      create index partner_referrals_by_age on partner_referrals (last_seen_at);
      ${tenantTable('partner_referrals')}

      create table partner_attributions (
        tenant_id ${id} not null,
        order_id ${id} not null,
        partner_id ${id} not null,
        referral_id ${id},
        total_cents bigint not null check (total_cents >= 0),
        commission_cents bigint not null check (commission_cents >= 0),
        -- Of both, what was neither refunded nor lost in a dispute.
        retained_total_cents bigint not null,
        retained_commission_cents bigint not null,
        attributed_at timestamptz not null,
        primary key (tenant_id, order_id),
        foreign key (tenant_id, partner_id) references partners (tenant_id, id)
      );
      -- With the amounts, which are added up for each partner of a list.
      create index partner_attributions_by_partner on partner_attributions (tenant_id, partner_id, attributed_at)
        include (retained_total_cents, retained_commission_cents);
      ${tenantTable('partner_attributions')}

      create table partner_applications (
        tenant_id ${id} not null,
        id ${id} not null,
        email text not null,
        name text,
        website text,
        message text,
        status text not null check (status in ('pending', 'accepted', 'declined')),
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index partner_applications_by_status on partner_applications (tenant_id, status, id);
      ${tenantTable('partner_applications')}
    `);
  }
}
