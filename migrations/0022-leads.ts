import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** People who left their email: for a newsletter, with a quiz, for a restock, or to buy in quantity. */
export class Leads extends Migration {
  override up(): void {
    this.addSql(`
      create table leads (
        tenant_id ${id} not null,
        id ${id} not null,
        email text not null,
        source text not null,
        name text,
        -- Null: consent was not requested.
        consent boolean,
        -- When it was given or declined.
        consent_at timestamptz,
        answers jsonb,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, email, source),
        check ((consent is null) = (consent_at is null))
      );
      -- The id of a lead has no time, as it is shown to whoever sends its email.
      create index leads_by_age on leads (tenant_id, created_at, id);
      create index leads_by_source on leads (tenant_id, source, created_at, id);
      ${tenantTable('leads')}

      -- Without a variant, the entry is for any variant of the product.
      create table waitlist_entries (
        tenant_id ${id} not null,
        id ${id} not null,
        lead_id ${id} not null,
        email text not null,
        product_id ${id} not null,
        variant_id ${id},
        created_at timestamptz not null,
        notified_at timestamptz,
        primary key (tenant_id, id),
        foreign key (tenant_id, lead_id) references leads (tenant_id, id) on delete cascade,
        foreign key (tenant_id, product_id) references products (tenant_id, id),
        foreign key (tenant_id, variant_id) references variants (tenant_id, id)
      );
      create unique index waitlist_entries_waiting on waitlist_entries (tenant_id, product_id, email, variant_id)
        nulls not distinct where notified_at is null;
      create index waitlist_entries_of_lead on waitlist_entries (tenant_id, lead_id);
      ${tenantTable('waitlist_entries')}

      create table wholesale_inquiries (
        tenant_id ${id} not null,
        id ${id} not null,
        lead_id ${id} not null,
        email text not null,
        company text,
        phone text,
        message text,
        expected_volume text,
        status text not null check (status in ('new', 'answered', 'closed')),
        created_at timestamptz not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, lead_id) references leads (tenant_id, id) on delete cascade
      );
      create index wholesale_inquiries_of_lead on wholesale_inquiries (tenant_id, lead_id);
      ${tenantTable('wholesale_inquiries')}
    `);
  }
}
