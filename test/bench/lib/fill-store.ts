import type { Tenant } from '#src/domain/tenants/index.ts';
import { minutes } from '#src/lib/duration.ts';
import { rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';
import { buildTenant } from '#test/support/tenant.ts';

/**
 * A store with so many products, each with two variants and a search document, and as many paid orders with labels, all
 * of one partner and refunded in part, customers, leads, ended announcements, entries of the audit log, failed
 * deliveries of webhooks and imports.
 */
export async function fillStore(services: Services, count: number): Promise<Tenant> {
  const tenant = await buildTenant(services);
  const client = await services.context().database.pool.connect();
  try {
    await client.query(`begin; set local app.platform = 'on'; set local statement_timeout = 0`);
    for (const { text, values } of rowsOf(tenant.id, count)) {
      const query = { text, values: [...values], query_timeout: minutes(10) };
      await client.query(query);
    }
    await client.query('commit');
  } finally {
    client.release();
  }
  return tenant;
}

/** One in a thousand products is rare, and one in fifty is a draft. */
function rowsOf(tenant: string, count: number): Sql[] {
  const numbers = sql`from generate_series(1, ${count}::int) as i`;
  const id = (prefix: string) => rawSql(`'${prefix}_' || lpad(i::text, 26, '0')`);
  const variantId = (position: number) => rawSql(`'var_' || ${position} || lpad(i::text, 25, '0')`);
  const name = rawSql(`'stoneware ' || (array['mug', 'plate', 'bowl', 'jar'])[i % 4 + 1] || ' no. ' || i`);
  const text = rawSql(
    `'Made by hand of clay, and fired twice.' || case when i % 1000 = 0 then ' A zeppelin.' else '' end`,
  );
  const surname = rawSql(`case when i % 1000 = 0 then 'zeppelin' else 'wellington' end`);
  const price = rawSql('(i::bigint * 7919) % 100000');
  const variants = [1, 2].map(
    (position) => sql`
      insert into variants (tenant_id, id, product_id, position, sku, name, options, price_cents, ships, backorder,
        stock, created_at)
      select ${tenant}, ${variantId(position)}, ${id('prod')}, ${position}, 'SKU-' || i || ${`-${position}`}::text,
        'Size', '{}', 1000, true, false, i % 3, now() ${numbers}`,
  );
  return [
    sql`
      insert into products (tenant_id, id, slug, name, sort_name, description, category, status, images,
        purchase_types, subscription_intervals, price_cents, version, created_at, updated_at)
      select ${tenant}, ${id('prod')}, 'product-' || i, ${name}, ${name}, ${text},
        case when i % 2 = 0 then 'kitchen' else 'garden' end, case when i % 50 = 7 then 'draft' else 'published' end,
        '[]', '{one_time}', '{}', ${price}, 1, now(), now() ${numbers}`,
    sql`
      insert into product_tags (tenant_id, product_id, tag, position, listed, price_cents, sort_name)
      select ${tenant}, ${id('prod')}, case when i % 1000 = 0 then 'rare' else 'clay' end, 0, i % 50 <> 7, ${price},
        ${name} ${numbers}`,
    ...variants,
    sql`
      insert into search_documents (tenant_id, kind, subject_id, slug, title, normalized_title, keywords, body, names,
        vector)
      select ${tenant}, 'product', ${id('prod')}, 'product-' || i, ${name}, ${name}, 'clay', ${text},
        array['product-' || i, 'sku-' || i || '-1', 'sku-' || i || '-2'],
        setweight(to_tsvector('english', ${name}), 'A') || setweight(to_tsvector('english', ${text}), 'C') ${numbers}`,
    sql`
      insert into search_words (tenant_id, plain, written, documents)
      select ${tenant}, word, word, 1 from (
        select 'stoneware' as word union select translate(md5(i::text), '0123456789', 'ghijklmnop') ${numbers}) as w`,
    sql`
      insert into orders (tenant_id, id, number, order_number, status, payment_status, fulfillment_status, currency,
        email, subtotal_cents, total_cents, created_at, updated_at, paid_at)
      select ${tenant}, ${id('ord')}, i, 'ORD-' || i, 'paid', 'paid', 'delivered', 'USD',
        'shopper-' || i || '@example.com', 3800, 3800, now(), now(), now() ${numbers}`,
    sql`
      insert into order_items (tenant_id, id, order_id, position, product_id, product_slug, variant_id, variant_named,
        name, quantity, unit_price_cents, total_cents, purchase_type, ships)
      select ${tenant}, ${id('item')}, ${id('ord')}, 0, ${id('prod')}, 'product-' || i, ${variantId(1)}, true, 'Mug', 1,
        3800, 3800, 'one_time', true ${numbers}`,
    sql`
      insert into labels (tenant_id, id, order_id, order_number, state, latest_attempt, failed_attempts,
        chosen_manually, buy_number, rechecks, purchase_id, purchased_at, created_at, updated_at)
      select ${tenant}, ${id('lab')}, ${id('ord')}, 'ORD-' || i, 'purchased', 1, 1, false, 1, 0, 'purchase-' || i,
        now(), now(), now() ${numbers}`,
    sql`
      insert into partners (tenant_id, id, code, name, commission_percent, discount_percent, window_ms, created_at,
        updated_at)
      values (${tenant}, 'part_1', 'maker', 'The Maker Blog', 8, 0, 1, now(), now())`,
    sql`
      insert into partner_attributions (tenant_id, order_id, partner_id, total_cents, commission_cents,
        retained_total_cents, retained_commission_cents, attributed_at)
      select ${tenant}, ${id('ord')}, 'part_1', 3800, 304, 3700, 296, now() ${numbers}`,
    sql`
      insert into payment_reversals (tenant_id, order_id, cause, snapshot_number, amount_cents, at)
      select ${tenant}, ${id('ord')}, 'refund', i, 100, now() ${numbers}`,
    sql`
      insert into audit_log (tenant_id, id, actor_kind, actor_id, action, subject_kind, subject_id, created_at)
      select ${tenant}, ${id('aud')}, 'key', 'key_1', 'product.updated', 'product', ${id('prod')}, now() ${numbers}`,
    sql`
      insert into customers (tenant_id, id, email, name, name_words, created_at)
      select ${tenant}, ${id('cus')}, 'shopper-' || i || '@example.com', 'Anna ' || ${surname},
        array[${surname}, 'anna'], now() ${numbers}`,
    sql`
      insert into customer_names (tenant_id, word, customer_id)
      select ${tenant}, unnest(array[${surname}, 'anna']), ${id('cus')} ${numbers}`,
    sql`
      insert into leads (tenant_id, id, email, source, created_at, updated_at)
      select ${tenant}, ${id('lead')}, 'lead-' || i || '@example.com', 'newsletter', now(), now() ${numbers}`,
    sql`
      insert into entries (tenant_id, id, type, slug, title, body, ends_at, published_at, version, created_at, updated_at)
      select ${tenant}, ${id('ent')}, 'announcement', 'open-house-with-tea-and-a-tour-of-the-kiln-' || i, 'Open house',
        '[]', now() - interval '1 day', now() - interval '2 days', 1, now(), now() ${numbers}`,
    sql`
      insert into webhook_endpoints (tenant_id, id, url, events, concurrency, secret_sealed, version, created_at,
        updated_at)
      values (${tenant}, 'we_1', 'https://owner.example.com', '["*"]', 4, '', 1, now(), now())`,
    sql`
      insert into events (tenant_id, id, type, object_id, created_at)
      select ${tenant}, ${id('evt')}, 'order.paid', ${id('ord')}, now() ${numbers}`,
    sql`
      insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, state, attempt_count, round_count,
        created_at, finished_at)
      select ${tenant}, ${id('del')}, 'we_1', ${id('evt')}, 'failed', 1, 1, now(), now() ${numbers}`,
    sql`
      insert into bulk_operations (tenant_id, id, type, kind, format, options, state, requested_by, created_at,
        finished_at)
      select ${tenant}, ${id('imp')}, 'import', 'stock', 'csv', '{}', 'completed', '{"kind": "key", "id": "key_1"}',
        now(), now() ${numbers}`,
  ];
}
