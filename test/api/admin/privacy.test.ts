import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { submitReview } from '#src/domain/catalog/index.ts';
import { captureLead, joinWaitlist } from '#src/domain/leads/index.ts';
import { sql } from '#src/lib/sql.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { auditOf, type OwnerContext, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

const email = 'ada@quill.example';

/** Ada, who is no customer, but left her email in many places. */
async function buildGuest({ ctx }: OwnerContext): Promise<{ orderNumber: string }> {
  const { slug } = await buildProduct(ctx);
  await captureLead(ctx, { email, source: 'footer', consent: true });
  await joinWaitlist(ctx, { email, product_slug: slug });
  await submitReview(ctx, slug, { rating: 4, body: 'Fine.', author_name: 'Ada Quill', email });
  return buildPaidOrder(ctx, { email, address: { name: 'Ada Quill', email } });
}

/** The file of an export, line by line. */
async function linesOf({ api }: OwnerContext, url: string): Promise<{ part: string; data: object }[]> {
  const response = await fetch(url.replace(/^https?:\/\/[^/]+/, api.url));
  return (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test.serial('an owner exports what is stored about an email without a customer', async (t) => {
  const { ctx, owner, otherOwner, services } = t.context;
  await buildGuest(t.context);
  const requested = await owner.post('/personal-data-exports', { email: ` ${email.toUpperCase()} ` });
  t.is(resultOf(requested), '202');
  const { id } = requested.body.export;
  await runJobs(services);
  const { body } = await owner.get(`/exports/${id}`);
  t.like(body.export, { state: 'completed', kind: 'personal_data' });
  const lines = await linesOf(t.context, body.export.url);
  t.deepEqual([...new Set(lines.map(({ part }) => part))].toSorted(), [
    'leads',
    'order_items',
    'orders',
    'personal_data_exports',
    'reviews',
    'waitlist_entries',
  ]);
  t.is(lines.length, body.export.rows);
  t.true(JSON.stringify(lines).includes('Ada Quill'));
  t.is((await owner.get('/exports')).body.exports.length, 1);
  t.is(resultOf(await otherOwner.get(`/exports/${id}`)), '404 not_found');
  const log = await auditOf(ctx);
  t.like(log.at(-1), { action: 'person.exported', after: { export: id } });
  t.false(JSON.stringify(log).includes('quill'));
});

test.serial('an owner sees what an erasure will do and what stays, runs it, and sees what it did', async (t) => {
  const { ctx, owner, otherOwner, services } = t.context;
  const { orderNumber } = await buildGuest(t.context);
  await owner.post('/personal-data-exports', { email });
  await runJobs(services);
  const requested = await owner.post('/erasures', { email });
  t.is(resultOf(requested), '202');
  const { id } = requested.body.erasure;
  t.is(resultOf(await owner.post(`/erasures/${id}/run`)), '409 not_runnable');
  await runJobs(services);
  const preview = (await owner.get(`/erasures/${id}`)).body.erasure;
  t.like(preview, {
    state: 'previewed',
    email,
    blockers: only(`${orderNumber} was not sent yet: send it or refund it`),
    finished_at: null,
  });
  const partsOf = (erasure: { parts: { name: string; treatment: string; found: number; erased: number }[] }) =>
    Object.fromEntries(erasure.parts.map(({ name, treatment, found, erased }) => [name, [treatment, found, erased]]));
  t.deepEqual(partsOf(preview), {
    waitlist_entries: ['deleted', 1, 0],
    leads: ['deleted', 2, 0],
    reviews: ['anonymized', 1, 0],
    personal_data_exports: ['deleted', 1, 0],
    order_items: ['kept', 1, 0],
    orders: ['anonymized', 1, 0],
  });
  t.true(preview.parts.every(({ treatment, stays }: any) => (treatment === 'deleted') === (stays === null)));

  t.is(resultOf(await otherOwner.post(`/erasures/${id}/run`)), '404 not_found');
  t.is(resultOf(await owner.post(`/erasures/${id}/run`)), '202');
  await runJobs(services);
  t.like((await owner.get(`/erasures/${id}`)).body.erasure, { state: 'blocked', email });
  const waiting = async () =>
    (await owner.get('/overview')).body.overview.attention.map(({ kind, code }: any) => `${kind} ${code}`);
  t.deepEqual(await waiting(), ['erasure blocked']);
  const other = await buildKey(ctx, ['admin:read']);
  t.deepEqual((await t.context.api.call('GET', '/api/v1/admin/overview', { key: other })).body.overview.attention, []);
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`update orders set fulfillment_status = 'delivered' where tenant_id = ${ctx.tenant.id}`),
  );
  await owner.post(`/erasures/${id}/run`);
  await runJobs(services);
  const done = (await owner.get(`/erasures/${id}`)).body.erasure;
  t.like(done, { state: 'completed', email: null, blockers: only(), failure: null });
  t.deepEqual(await waiting(), []);
  t.deepEqual(partsOf(done), {
    waitlist_entries: ['deleted', 1, 1],
    leads: ['deleted', 2, 2],
    reviews: ['anonymized', 1, 1],
    personal_data_exports: ['deleted', 1, 1],
    order_items: ['kept', 1, 0],
    orders: ['anonymized', 1, 1],
  });
  t.deepEqual((await owner.get('/erasures')).body.erasures, [done]);
  t.deepEqual((await owner.get('/exports')).body.exports, [], 'also the file that was exported before');
  t.is(resultOf(await otherOwner.get(`/erasures/${id}`)), '404 not_found');

  const log = await auditOf(ctx);
  t.deepEqual(
    log
      .filter(({ subject }) => subject.kind === 'person')
      .map(({ action, actor, subject }) => [action, actor.kind, subject.id]),
    ['person.exported', 'person.erasure_started', 'person.erasure_started', 'person.erased'].map((action) => [
      action,
      'key',
      done.audit_subject_id,
    ]),
  );
  t.false(JSON.stringify(log).includes('quill'));
});

test.serial('only who may do everything exports and erases people, and sees what was', async (t) => {
  const { api, ctx, owner, services } = t.context;
  await owner.post('/personal-data-exports', { email });
  const { id } = (await owner.get('/exports')).body.exports[0];
  const { id: erasure } = (await owner.post('/erasures', { email })).body.erasure;
  await runJobs(services);
  const key = await buildKey(ctx, [
    'admin:read',
    'admin.customers:write',
    'admin.settings:write',
    'admin.orders:write',
  ]);
  const call = async (method: string, path: string, body?: object) =>
    resultOf(await api.call(method, `/api/v1/admin${path}`, { key, ...(body && { body }) }));
  for (const [method, path, body] of [
    ['POST', '/personal-data-exports', { email }],
    ['GET', `/exports/${id}`],
    ['POST', `/exports/${id}/cancel`],
    ['POST', '/erasures', { email }],
    ['GET', '/erasures'],
    ['GET', `/erasures/${erasure}`],
    ['POST', `/erasures/${erasure}/run`],
  ] as const)
    t.is(await call(method, path, body), '403 insufficient_scope', path);
  const { body } = await api.call('GET', '/api/v1/admin/exports', { key });
  t.deepEqual(body.exports, []);
});
