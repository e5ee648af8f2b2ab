import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/** Who bought, by email, and their ids at the payment provider. */
export class Customers extends Migration {
  override up(): void {
    this.addSql(`
      create table customers (
        tenant_id ${id} not null,
        id ${id} not null,
        email text not null check (email = lower(trim(email))),
        name text,
        -- Without case and accents, the longest first.
        name_words text[] collate "C" not null default '{}',
        accepts_marketing boolean,
        version int not null default 1,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, email)
      );
      ${tenantTable('customers')}

      -- By which words of their names customers are found, if the customer still has them.
      create table customer_names (
        tenant_id ${id} not null,
        word text collate "C" not null,
        customer_id ${id} not null,
        primary key (tenant_id, word, customer_id),
        foreign key (tenant_id, customer_id) references customers (tenant_id, id) on delete cascade
      );
      -- With the customer first, PostgreSQL cannot read all words of a store by it instead of those that are searched.
      create index customer_names_by_customer on customer_names (customer_id, tenant_id);
      ${tenantTable('customer_names')}

      create table customer_payment_ids (
        tenant_id ${id} not null,
        customer_id ${id} not null,
        environment text not null check (environment in ('test', 'live')),
        payment_customer_id text not null,
        created_at timestamptz not null,
        primary key (tenant_id, customer_id, environment),
        foreign key (tenant_id, customer_id) references customers (tenant_id, id) on delete cascade
      );
      create index customer_payment_ids_by_provider
        on customer_payment_ids (tenant_id, environment, payment_customer_id);
      ${tenantTable('customer_payment_ids')}
    `);
  }
}
