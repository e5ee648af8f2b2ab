import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { type OwnerContext, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

test('an approved review of a buyer is marked as a verified purchase', async (t) => {
  const { api, ctx, owner, tenant } = t.context;
  const bowl = await buildProduct(ctx);
  for (const [email, status] of [
    ['ada@example.com', 'paid'],
    ['grace@example.com', 'pending'],
  ] as const) {
    const { id } = await buildPaidOrder(ctx, { email, status });
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      update order_items set product_id = ${bowl.id} where tenant_id = ${ctx.tenant.id} and order_id = ${id}`),
    );
  }
  const other = await buildPaidOrder(ctx, { email: 'mary@example.com' });
  t.truthy(other.id, 'who has bought something else');

  const path = `/api/v1/products/${bowl.slug}/reviews`;
  for (const email of ['Ada@Example.com', 'grace@example.com', 'mary@example.com', undefined]) {
    const { body } = await api.call('POST', path, {
      tenant: tenant.slug,
      body: { rating: 5, email, author_name: email?.split('@')[0] ?? 'Nobody' },
    });
    const approved = await owner.post(`/reviews/${body.review.id}/approve`);
    t.is(approved.body.review.verified_purchase, email?.startsWith('Ada') ?? false, email);
  }
  const { body } = await api.call('GET', path, { tenant: tenant.slug });
  t.deepEqual(
    body.reviews.filter((review: any) => review.verified_purchase).map((review: any) => review.author_name),
    ['Ada'],
  );
});
