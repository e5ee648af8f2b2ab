import anyTest, { type TestFn } from 'ava';
import { readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import {
  type Customer,
  findCustomer,
  findCustomerByEmail,
  linkPaymentCustomer,
  listCustomers,
  paymentCustomerIdOf,
  saveCustomers,
  unlinkPaymentCustomer,
  upsertCustomer,
} from '#src/domain/customers/index.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { only } from '#test/support/only.ts';
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

test("a customer has their own id at the payment provider, and that of the context's environment", async (t) => {
  const { ctx } = t.context;
  const [ada, grace] = [await buildCustomer(ctx), await buildCustomer(ctx)];
  const live = { ...ctx, settings: { ...ctx.settings, appMode: 'live' as const } };
  const linked = (at: Context, { id: customerId }: Customer, paymentCustomerId: string) => ({
    at,
    link: { customerId, paymentCustomerId },
  });
  const links = [linked(ctx, ada, 'cus_1'), linked(ctx, grace, 'cus_2'), linked(live, ada, 'cus_3')];
  for (const { at, link } of links) await transact(at, (ctx) => linkPaymentCustomer(ctx, link));
  for (const { at, link } of links) {
    const { email = null, paymentCustomerId } = (await findCustomer(at, link.customerId)) ?? {};
    t.is(paymentCustomerId, link.paymentCustomerId);
    t.deepEqual(await readOne(at, sql`select ${paymentCustomerIdOf(at, email)} as id`), { id: link.paymentCustomerId });
  }
  const idsAt = async (at: Context) =>
    (await listCustomers(at, { limit: 9 })).rows.map(({ paymentCustomerId }) => paymentCustomerId);
  t.deepEqual(await idsAt(ctx), ['cus_2', 'cus_1']);
  t.deepEqual(await idsAt(live), [null, 'cus_3']);
});

test('a customer of one store is not found at another', async (t) => {
  const { ctx, services } = t.context;
  const customer = await buildCustomer(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  t.is(await findCustomer(otherStore, customer.id), undefined);
  t.is(await findCustomerByEmail(otherStore, customer.email), undefined);
});

test('listCustomers finds names by the beginnings of their words, in any order, whatever their case and accents', async (t) => {
  const { ctx, services } = t.context;
  const names = [
    'Ada Wells',
    'Zoë Müller-Lüdenscheidt',
    'IŞIL YILDIRIM',
    "Conan O'Brien",
    'María del Carmen de la Cruz González',
    'Ada',
    '山田 太郎',
    '王小明',
    '김민수',
    'ジョン・スミス',
    'Αναστάσιος Παππάς',
    'Conan O´Brien',
    "João Sant'Ana d'Ávila",
    'राम कुमार',
    'रीमा ज़ैदी',
    'สมชัย สุดา',
    'สิดา',
    'مُحَمَّد الأحمد',
    'علی\u200cرضا',
  ];
  for (const [number, name] of names.entries()) await buildCustomer(ctx, { email: `${number}@example.com`, name });
  await buildCustomer(ctx);
  const find = async (q: string, at: Context = ctx) => (await listCustomers(at, { q })).rows.map(({ name }) => name);
  for (const [typed, found] of [
    ['ada', [5, 0]],
    ['ada wells', [0]],
    [' WELLS,  ad ', [0]],
    ['zoe muller', [1]],
    ['Müller-Lüd', [1]],
    ['işıl yıldırım', [2]],
    ['ISIL yildirim', [2]],
    ['Işıl', [2]],
    ['obrien', [11, 3]],
    ['O’Brien', [11, 3]],
    ['o‘brien', [11, 3]],
    ['brien', [11, 3]],
    ['o brien', [11, 3]],
    ['avila', [12]],
    ['santana davila', [12]],
    ['राम', [13]],
    ['री', [14]],
    ['जैदी', [14]],
    ['สุดา', [15]],
    ['สมช', [15]],
    ['محمد', [17]],
    ['الاحمد', [17]],
    ['علیرضا', [18]],
    ['رضا علی', [18]],
    ['gonz', [4]],
    ['cruz de la maria', [4]],
    ['山田', [6]],
    ['山田太郎', [6]],
    ['太郎 山田', [6]],
    ['太郎', [6]],
    ['王 小明', [7]],
    ['小明', [7]],
    ['김 민수', [8]],
    ['김미', [8]],
    ['민수', [8]],
    ['スミス', [9]],
    ['ｼﾞｮﾝｽﾐｽ', [9]],
    ['ΑΝΑΣΤΑΣ', [10]],
    ['παππας αναστασιος', [10]],
    ['明小', []],
    ['3@Example.com', [3]],
    ['ells', []],
    ['ada brien', []],
    ['nobody', []],
    ['nobody@example.com', []],
    ['%', []],
    [' ', []],
  ] as const)
    t.deepEqual(
      await find(typed),
      found.map((number) => names[number] ?? ''),
      typed,
    );
  t.deepEqual(await find('ada', { ...ctx, tenant: await buildTenant(services) }), []);
  t.deepEqual((await listCustomers(ctx, { q: 'ada', email: '3@example.com' })).rows, []);

  const { rows, cursor } = await listCustomers(ctx, { q: 'ada', limit: 1 });
  t.like(rows, only({ name: 'Ada' }));
  t.like(await listCustomers(ctx, { q: 'ada', limit: 1, cursor: cursor ?? '' }), { rows: only({ name: 'Ada Wells' }) });
});

test('a customer is found by a new name, and no longer by the one before', async (t) => {
  const { ctx } = t.context;
  const find = async (q: string) => (await listCustomers(ctx, { q })).rows.map(({ email }) => email);
  const email = 'grace@example.com';
  const upsert = (name?: string) => transact(ctx, (ctx) => upsertCustomer(ctx, { email, name }));
  const save = (name?: string) => transact(ctx, (ctx) => saveCustomers(ctx, [{ email, ...(name && { name }) }]));
  for (const change of [upsert, save]) {
    await change('Grace Murray');
    t.deepEqual([await find('murray'), await find('hopper')], [[email], []]);
    await change('Grace Hopper');
    await change();
    await change('  ');
    t.deepEqual([await find('murray'), await find('hopper')], [[], [email]]);
  }
});

test('a name of very many letters or words is stored, and found', async (t) => {
  const { ctx } = t.context;
  const many = Array.from({ length: 3000 }, (_, number) => `N${number}`).join(' ');
  for (const [name, typed] of [
    ['𠮷'.repeat(9000), '𠮷'.repeat(50)],
    ['Ab '.repeat(3000), 'ab'],
    [many, 'n1000 n1001'],
  ] as const) {
    const { id } = await buildCustomer(ctx, { name });
    t.deepEqual(
      (await listCustomers(ctx, { q: typed })).rows.map((customer) => customer.id),
      [id],
    );
  }
});

test('of a name that thousands have, the newest customer is found by the first letter of the other', async (t) => {
  const { ctx } = t.context;
  const names = [...Array<string>(5200).fill('Maria Gutierrez'), 'Marianne Hale', 'Maria Garcia'];
  const inputs = names.map((name, number) => ({ email: `${number}@example.com`, name }));
  for (let first = 0; first < inputs.length; first += 1000)
    await transact(ctx, (ctx) => saveCustomers(ctx, inputs.slice(first, first + 1000)));
  const [newest] = (await listCustomers(ctx, { q: 'maria g', limit: 1 })).rows;
  t.is(newest?.name, 'Maria Garcia');
});
