import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { submitReview } from '#src/domain/catalog/index.ts';
import { captureLead, joinWaitlist, submitInquiry } from '#src/domain/leads/index.ts';
import { isSuppressed } from '#src/domain/mail/index.ts';
import { suppress } from '#src/domain/mail/suppression.ts';
import { applyAsPartner, attributeOrder } from '#src/domain/partners/index.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { only } from '#test/support/only.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

test('a review is seen and counts once it is approved, and the log names no address', async (t) => {
  const { api, ctx, owner, tenant } = t.context;
  const { slug } = await buildProduct(ctx);
  const { id } = await submitReview(ctx, slug, {
    rating: 4,
    title: 'Fine',
    author_name: 'Ada',
    email: 'ada@example.com',
  });
  t.like((await owner.get('/reviews?status=pending')).body.reviews[0], {
    id,
    status: 'pending',
    email: 'ada@example.com',
    product_slug: slug,
  });
  const approved = await owner.post(`/reviews/${id}/approve`);
  t.like(approved.body.review, { status: 'approved', rating: 4 });
  t.deepEqual((await owner.post(`/reviews/${id}/approve`)).body, approved.body);
  const { body } = await api.call('GET', `/api/v1/products/${slug}/reviews`, { tenant: tenant.slug });
  t.deepEqual(body.summary, { count: 1, average: 4 });
  t.is((await owner.post(`/reviews/${id}/reject`)).body.review.status, 'rejected');
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ before, after }) => [before.status, after.status]),
    [
      ['pending', 'approved'],
      ['approved', 'rejected'],
    ],
  );
  t.false(JSON.stringify(log).includes('ada@example.com'));
  t.is(resultOf(await owner.post(`/reviews/${newId('rev')}/approve`)), '404 not_found');
});

test('reviews, leads, inquiries and waitlists are listed page by page', async (t) => {
  const { ctx, owner } = t.context;
  const { slug, name, variant } = await buildProduct(ctx);
  for (const number of [1, 2, 3]) {
    const email = `ada${number}@example.com`;
    await submitReview(ctx, slug, { rating: number, email });
    await captureLead(ctx, { email, source: number === 3 ? 'popup' : 'footer' });
    await submitInquiry(ctx, { email, company: `Kitchens ${number}` });
    await joinWaitlist(ctx, number === 3 ? { email, variant_id: variant.id } : { email, product_slug: slug });
  }
  t.deepEqual(
    (await pagesOf(owner, '/reviews', 'reviews')).flat().map(({ rating }) => rating),
    [3, 2, 1],
  );
  t.deepEqual(
    (await pagesOf(owner, '/wholesale-inquiries', 'wholesale_inquiries')).flat().map(({ company }) => company),
    ['Kitchens 3', 'Kitchens 2', 'Kitchens 1'],
  );
  const waiting = (await pagesOf(owner, '/waitlist', 'waitlist')).flat();
  t.deepEqual(
    waiting.map(({ sku }) => sku),
    [variant.sku, null, null],
  );
  t.like(waiting[0], { email: 'ada3@example.com', product_slug: slug, product_name: name, notified_at: null });
  const leads = await owner.get('/leads?source=footer');
  t.deepEqual(
    leads.body.leads.map(({ email }: any) => email),
    ['ada2@example.com', 'ada1@example.com'],
  );
});

test('POST /admin/partners creates and updates a partner, and its sales are listed', async (t) => {
  const { ctx, owner } = t.context;
  const made = await owner.post('/partners', {
    code: 'Maker',
    name: 'The Maker Blog',
    commission_percent: 10,
    window: '36h',
  });
  t.is(made.status, 201);
  t.like(made.body.partner, { code: 'maker', commission_percent: 10, discount_percent: 0, window: '36h', orders: 0 });
  await transact(ctx, (ctx) => attributeOrder(ctx, { orderId: newId('ord'), partnerCode: 'maker', totalCents: 5000 }));
  const changed = await owner.post('/partners', {
    code: 'maker',
    name: 'The Makers',
    commission_percent: 10,
    window: '36h',
  });
  t.is(changed.status, 200);
  t.like(changed.body.partner, {
    id: made.body.partner.id,
    name: 'The Makers',
    orders: 1,
    total_cents: 5000,
    commission_cents: 500,
  });
  t.deepEqual(await deedsOf(ctx), ['partner.created', 'partner.updated']);
  t.deepEqual(placesOf(await owner.post('/partners', { code: 'x', name: 'X', window: '0s' })), ['/window']);
  await owner.post('/partners', { code: 'second', name: 'Second' });
  await owner.post('/partners', { code: 'third', name: 'Third' });
  t.deepEqual(
    (await pagesOf(owner, '/partners', 'partners')).flat().map(({ code }) => code),
    ['third', 'second', 'maker'],
  );
});

test('POST /admin/partners changes a partner only if it has the version that was read', async (t) => {
  const { owner } = t.context;
  const save = (given: object) => owner.post('/partners', { code: 'maker', name: 'The Maker Blog', ...given });
  const { version } = (await save({})).body.partner;
  t.is((await save({ name: 'Theirs', version })).status, 200);
  t.like(await save({ name: 'Mine', version }), { status: 409, body: { error: 'version_conflict' } });
  const [partner] = (await owner.get('/partners')).body.partners;
  t.is(partner.name, 'Theirs');
  t.is((await owner.delete('/partners/maker')).status, 200);
  t.is(resultOf(await save({ version: partner.version })), '409 version_conflict', 'and is not restored by it');
  t.deepEqual((await owner.get('/partners')).body.partners, []);
});

test('DELETE /admin/partners/:code removes a partner, whose code attributes no further order', async (t) => {
  const { api, ctx, owner, otherOwner } = t.context;
  await owner.post('/partners', { code: 'maker', name: 'The Maker Blog', discount_percent: 5 });
  t.is(resultOf(await otherOwner.delete('/partners/maker')), '404 not_found');
  t.like(await owner.delete('/partners/Maker'), { status: 200, body: { ok: true } });
  t.is(resultOf(await owner.delete('/partners/maker')), '404 not_found');
  t.is((await api.call('GET', '/api/v1/partners/maker', { tenant: ctx.tenant.slug })).status, 404);
  t.deepEqual(await deedsOf(ctx), ['partner.created', 'partner.removed']);
  t.is((await owner.post('/partners', { code: 'maker', name: 'The Maker Blog' })).status, 201, 'saved again');
});

test('GET /admin/partner-applications lists the applications', async (t) => {
  const { ctx, owner } = t.context;
  await applyAsPartner(ctx, { email: 'Ada@Example.com', name: 'Ada', message: 'I write.' });
  t.like(
    (await owner.get('/partner-applications')).body.applications,
    only({ email: 'ada@example.com', status: 'pending', message: 'I write.' }),
  );
});

test('customers are listed, and read with what they bought', async (t) => {
  const { ctx, owner } = t.context;
  const [ada, bob, eve] = [
    await buildCustomer(ctx, { email: 'ada@example.com', name: 'Ada' }),
    await buildCustomer(ctx),
    await buildCustomer(ctx),
  ];
  const order = await buildPaidOrder(ctx, { email: 'ada@example.com' });
  const subscription = await buildSubscription(ctx, { email: 'ada@example.com' });
  t.deepEqual(
    (await pagesOf(owner, '/customers', 'customers')).flat().map(({ id }) => id),
    [eve.id, bob.id, ada.id],
  );
  t.deepEqual(
    (await owner.get('/customers?email=ADA@example.com')).body.customers.map(({ id }: any) => id),
    [ada.id],
  );
  const { body } = await owner.get(`/customers/${ada.id}`);
  t.like(body.customer, { id: ada.id, name: 'Ada', accepts_marketing: null });
  t.deepEqual(
    [body.orders.map(({ id }: any) => id), body.subscriptions.map(({ id }: any) => id), body.returns],
    [[order.id], [subscription.id], []],
  );
  t.is(resultOf(await owner.get(`/customers/${newId('cus')}`)), '404 not_found');
});

const suppressAll = ({ ctx }: OwnerContext, emails: readonly string[]) =>
  transact(ctx, async (ctx) => {
    for (const email of emails) await suppress(ctx, email, 'bounced');
  });

test('GET /admin/suppressions lists the suppressed addresses of the store page by page, and finds one', async (t) => {
  const { owner, otherOwner } = t.context;
  const emails = ['ada@example.com', 'bob@example.com', 'eve@example.com'];
  await suppressAll(t.context, emails.toReversed());
  const pages = await pagesOf(owner, '/suppressions', 'suppressions');
  t.deepEqual(
    pages.map((page) => page.map(({ email }) => email)),
    [emails.slice(0, 2), emails.slice(2)],
  );
  t.like(pages[0]?.[0], { email: 'ada@example.com', reason: 'bounced' });
  t.deepEqual(
    (await owner.get('/suppressions?email=BOB@example.com')).body.suppressions.map(({ email }: any) => email),
    ['bob@example.com'],
  );
  t.deepEqual((await otherOwner.get('/suppressions')).body, { suppressions: [], cursor: null });
  t.is(resultOf(await owner.get('/suppressions?cursor=wrong')), '400 invalid_cursor');
});

test('POST /admin/suppressions/release sends to an address again, and the log names none', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  await suppressAll(t.context, ['ada@example.com']);
  t.is((await otherOwner.post('/suppressions/release', { email: 'ada@example.com' })).status, 200);
  t.true(await isSuppressed(ctx, 'ada@example.com'), "another store's is its own");
  for (let time = 0; time < 2; time += 1) {
    t.deepEqual((await owner.post('/suppressions/release', { email: 'Ada@Example.com' })).body, { ok: true });
  }
  t.false(await isSuppressed(ctx, 'ada@example.com'));
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action }) => action),
    ['suppression.released'],
  );
  t.false(JSON.stringify(log).includes('ada@'));
  t.deepEqual(placesOf(await owner.post('/suppressions/release', {})), ['/email']);
});

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

test('a review tells whether another one of the same email and product is approved', async (t) => {
  const { ctx, owner } = t.context;
  const [bowl, cup] = [await buildProduct(ctx), await buildProduct(ctx)];
  const submit = async (slug: string, email: string | null) => (await submitReview(ctx, slug, { rating: 5, email })).id;
  const first = await submit(bowl.slug, 'ada@example.com');
  const second = await submit(bowl.slug, ' Ada@Example.com');
  const others = [await submit(cup.slug, 'ada@example.com'), await submit(bowl.slug, 'grace@example.com')];
  const nameless = [await submit(bowl.slug, null), await submit(bowl.slug, null)];
  const reported = async () =>
    (await owner.get('/reviews')).body.reviews.filter((review: any) => review.other_approved).map(({ id }: any) => id);
  t.deepEqual(await reported(), []);
  for (const id of [first, ...others, ...nameless])
    t.false((await owner.post(`/reviews/${id}/approve`)).body.review.other_approved);
  t.deepEqual(await reported(), [second]);
  t.true((await owner.post(`/reviews/${second}/approve`)).body.review.other_approved);
  t.deepEqual(await reported(), [second, first]);
  await owner.post(`/reviews/${first}/reject`);
  t.deepEqual(await reported(), [first]);
});
