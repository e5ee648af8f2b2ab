import { Migration } from '@mikro-orm/migrations';

import { id, tenantTable } from './lib/tenant-table.ts';

/**
 * What a store sells. Products and variants are never deleted, only marked as removed, so that stock already sold can
 * still be released, captured and restocked, and the stock movements stay complete.
 */
export class Catalog extends Migration {
  override up(): void {
    this.addSql(`
      create table products (
        tenant_id ${id} not null,
        id ${id} not null,
        slug text not null,
        name text not null,
        sort_name text collate "C" not null,
        description text not null,
        category text,
        status text not null check (status in ('draft', 'published')),
        images jsonb not null,
        purchase_types text[] not null,
        subscription_intervals text[] not null,
        price_cents bigint not null check (price_cents >= 0),
        compare_at_cents bigint check (compare_at_cents >= 0),
        rating_count int not null default 0 check (rating_count >= 0),
        rating_total int not null default 0 check (rating_total >= 0),
        rating_average numeric(3, 2) not null generated always as (
          case when rating_count = 0 then 0 else round(rating_total::numeric / rating_count, 2) end
        ) stored,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        removed_at timestamptz,
        primary key (tenant_id, id),
        unique (tenant_id, slug)
      );
      create index products_newest on products (tenant_id, id)
        where status = 'published' and removed_at is null;
      create index products_by_price on products (tenant_id, price_cents, id)
        where status = 'published' and removed_at is null;
      create index products_by_name on products (tenant_id, sort_name, id)
        where status = 'published' and removed_at is null;
      create index products_by_category on products (tenant_id, category, id)
        where status = 'published' and removed_at is null;
      create index products_by_category_and_price on products (tenant_id, category, price_cents, id)
        where status = 'published' and removed_at is null;
      create index products_by_category_and_name on products (tenant_id, category, sort_name, id)
        where status = 'published' and removed_at is null;
      -- For the owner, who also sees drafts.
      create index products_managed on products (tenant_id, id) where removed_at is null;
      create index products_managed_by_name on products (tenant_id, sort_name) where removed_at is null;
      create index products_managed_by_status on products (tenant_id, status, id) where removed_at is null;
      create index products_managed_by_category on products (tenant_id, category, id) where removed_at is null;
      ${tenantTable('products')}

      create table product_tags (
        tenant_id ${id} not null,
        product_id ${id} not null,
        tag text not null,
        position int not null,
        -- Copied from the product, so that a page of a tag is read from an index in each order: whether the product is
        -- published and not removed, and what products are sorted by.
        listed boolean not null,
        price_cents bigint not null,
        sort_name text collate "C" not null,
        primary key (tenant_id, product_id, tag),
        foreign key (tenant_id, product_id) references products (tenant_id, id)
      );
      create index product_tags_managed on product_tags (tenant_id, tag, product_id);
      create index product_tags_newest on product_tags (tenant_id, tag, product_id) where listed;
      create index product_tags_by_price on product_tags (tenant_id, tag, price_cents, product_id) where listed;
      create index product_tags_by_name on product_tags (tenant_id, tag, sort_name, product_id) where listed;
      ${tenantTable('product_tags')}

      create table variants (
        tenant_id ${id} not null,
        id ${id} not null,
        product_id ${id} not null,
        position int not null,
        sku text not null,
        name text not null,
        options jsonb not null,
        price_cents bigint not null check (price_cents >= 0),
        compare_at_cents bigint check (compare_at_cents >= 0),
        subscription_price_cents bigint check (subscription_price_cents >= 0),
        weight_oz numeric(10, 3) check (weight_oz >= 0),
        ships boolean not null,
        backorder boolean not null,
        low_stock_at int check (low_stock_at >= 0),
        -- On hand, including what is held. Null: not tracked. Below zero only after sales on backorder.
        stock int,
        stock_held int not null default 0 check (stock_held >= 0),
        created_at timestamptz not null,
        removed_at timestamptz,
        primary key (tenant_id, id),
        foreign key (tenant_id, product_id) references products (tenant_id, id)
      ) with (fillfactor = 80);
      -- Not by store first: where most stores have few variants, it would be read as a whole for one with many.
      create index variants_by_product on variants (product_id, tenant_id);
      create unique index variants_sku on variants (tenant_id, sku) where removed_at is null;
      ${tenantTable('variants')}

      -- Every change of a variant's stock: their sum is the stock, or 0 while it is not tracked.
      create table stock_movements (
        tenant_id ${id} not null,
        id ${id} not null,
        variant_id ${id} not null,
        quantity int not null,
        reason text not null check (reason in ('sold', 'restocked', 'set', 'adjusted')),
        order_id ${id},
        at timestamptz not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, variant_id) references variants (tenant_id, id)
      );
      create index stock_movements_by_variant on stock_movements (tenant_id, variant_id, id);
      ${tenantTable('stock_movements')}

      create table reviews (
        tenant_id ${id} not null,
        id ${id} not null,
        product_id ${id} not null,
        status text not null check (status in ('pending', 'approved', 'rejected')),
        rating int not null check (rating between 1 and 5),
        title text,
        body text,
        author_name text not null,
        email text,
        verified_purchase boolean not null default false,
        created_at timestamptz not null,
        decided_at timestamptz,
        primary key (tenant_id, id),
        foreign key (tenant_id, product_id) references products (tenant_id, id)
      );
      create index reviews_of_product on reviews (tenant_id, product_id, id) where status = 'approved';
      create index reviews_of_author on reviews (tenant_id, product_id, email) where status = 'approved';
      create index reviews_by_status on reviews (tenant_id, status, id);
      ${tenantTable('reviews')}
    `);
  }
}
