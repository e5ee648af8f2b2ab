import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import {
  findCustomer,
  findCustomerByEmail,
  linkPaymentCustomer,
  unlinkPaymentCustomer,
  upsertCustomer,
} from '#src/domain/customers/index.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('upsertCustomer finds the same customer for every spelling of an email address', async (t) => {
  const { ctx } = t.context;
  const upsert = (email: string, name?: string) => transact(ctx, (ctx) => upsertCustomer(ctx, { email, name }));

  const first = await upsert('Ada@Example.com ', 'Ada');
  const second = await upsert('ada@example.com');
  t.is(second.id, first.id);
  const known = await findCustomerByEmail(ctx, ' ADA@example.com');
  t.like(known, { id: first.id, email: 'ada@example.com', name: 'Ada', version: 1, paymentCustomerId: null });

  await upsert('ada@example.com', 'Ada Lovelace');
  t.like(await findCustomer(ctx, first.id), { name: 'Ada Lovelace', version: 2 });

  const international = await upsert('kasse@Bücher.example');
  t.is((await findCustomer(ctx, international.id))?.email, 'kasse@xn--bcher-kva.example');
  for (const spelling of ['Kasse@BÜCHER.example', 'kasse@bu\u0308cher。example', 'kasse@XN--bcher-kva.example'])
    t.is((await upsert(spelling)).id, international.id, spelling);
});

test('upsertCustomer creates one customer for twenty concurrent calls', async (t) => {
  const { ctx } = t.context;
  const customers = await Promise.all(
    Array.from({ length: 20 }, () => transact(ctx, (ctx) => upsertCustomer(ctx, { email: 'grace@example.com' }))),
  );
  t.is(new Set(customers.map(({ id }) => id)).size, 1);
});

test('linkPaymentCustomer keeps the first of two concurrent ids and returns it to both', async (t) => {
  const { ctx } = t.context;
  const { id: customerId } = await buildCustomer(ctx);
  const upsert = (paymentCustomerId: string) =>
    transact(ctx, (ctx) => linkPaymentCustomer(ctx, { customerId, paymentCustomerId }));

  const stored = await Promise.all([upsert('cus_a'), upsert('cus_b')]);
  t.is(stored[0].paymentCustomerId, stored[1].paymentCustomerId);
  t.is((await findCustomer(ctx, customerId))?.paymentCustomerId, stored[0].paymentCustomerId);

  await transact(ctx, (ctx) => unlinkPaymentCustomer(ctx, { customerId, paymentCustomerId: 'cus_of_another_account' }));
  t.is((await findCustomer(ctx, customerId))?.paymentCustomerId, stored[0].paymentCustomerId);
  await transact(ctx, (ctx) => unlinkPaymentCustomer(ctx, { customerId, ...stored[0] }));
  t.is((await findCustomer(ctx, customerId))?.paymentCustomerId, null);
  t.is((await upsert('cus_c')).paymentCustomerId, 'cus_c');
});

test('a customer of one store is not found at another', async (t) => {
  const { ctx, services } = t.context;
  const customer = await buildCustomer(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  t.is(await findCustomer(otherStore, customer.id), undefined);
  t.is(await findCustomerByEmail(otherStore, customer.email), undefined);
});
