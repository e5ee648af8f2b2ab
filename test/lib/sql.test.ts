import { randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { keyset, type ListOwner } from '#src/lib/cursor.ts';
import { joinSql, rawSql, sql } from '#src/lib/sql.ts';

test('sql passes values as parameters, never in the text', (t) => {
  const statement = sql`select * from orders where email = ${"'; drop table orders; --"} and total_cents > ${5}`;
  t.is(statement.text, 'select * from orders where email = $1 and total_cents > $2');
  t.deepEqual(statement.values, ["'; drop table orders; --", 5]);
});

test('sql passes an array as one parameter', (t) => {
  t.deepEqual(sql`id = any(${['a', 'b']})`.values, [['a', 'b']]);
});

test('a nested statement continues the numbering of parameters', (t) => {
  const tenant = sql`tenant_id = ${'ten_1'}`;
  const statement = sql`select ${1} where ${tenant} and (${sql`x = ${2} or ${tenant}`}) limit ${3}`;
  t.is(statement.text, 'select $1 where tenant_id = $2 and (x = $3 or tenant_id = $4) limit $5');
  t.deepEqual(statement.values, [1, 'ten_1', 2, 'ten_1', 3]);
});

test('joinSql puts the separator between parts', (t) => {
  const joined = joinSql([sql`a = ${1}`, sql`b = ${2}`, rawSql('c')], ' and ');
  t.is(joined.text, 'a = $1 and b = $2 and c');
  t.deepEqual(joined.values, [1, 2]);
  t.is(joinSql([], ', ').text, '');
});

const store: ListOwner = { tenant: { id: 'ten_1' }, settings: { keyPepper: randomBytes(32) } };
const byPrice = { columns: ['price_cents', 'id'] };

const cursorTo = (position: readonly unknown[], owner = store, list = 'products price'): string => {
  const { cursor } = keyset(owner, list, byPrice).page([{ position }, { position }], 1);
  if (cursor === null) throw new Error('There should have been a next page.');
  return cursor;
};

const open = (cursor: string, owner = store, list = 'products price') => keyset(owner, list, byPrice, cursor).after;
const refused = { code: 'invalid_cursor' };

test('a cursor returns the rows after its own, whatever its values are', (t) => {
  const value = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
  fc.assert(
    fc.property(value, fc.string(), (price, id) => {
      const after = open(cursorTo([price, id]));
      t.is(after.text, '(price_cents, id) > ($1, $2)');
      t.deepEqual(after.values, [price, id]);
    }),
  );
});

test('a descending list continues below its cursor', (t) => {
  const falling = { columns: ['created_at', 'id'], descending: true };
  const { cursor } = keyset(store, 'orders', falling).page(
    [{ position: ['now', 'b'] }, { position: ['then', 'a'] }],
    1,
  );
  const list = keyset(store, 'orders', falling, cursor ?? '');
  t.is(list.after.text, '(created_at, id) < ($1, $2)');
  t.is(list.by.text, 'created_at desc, id desc');
});

test('the first page comes after nothing, and the last one has no cursor', (t) => {
  const list = keyset(store, 'products price', byPrice);
  t.is(list.after.text, 'true');
  const rows = [{ position: [1, 'a'] }, { position: [2, 'b'] }];
  t.deepEqual(list.page(rows, 2), { rows, cursor: null });
  t.deepEqual(list.page([], 2), { rows: [], cursor: null });
});

test('keyset rejects a cursor that was changed anywhere', (t) => {
  const cursor = cursorTo([3800, 'prod_1']);
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n'.split('');
  fc.assert(
    fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...characters), (index, character) => {
      fc.pre(cursor[index] !== character);
      t.throws(() => open(cursor.slice(0, index) + character + cursor.slice(index + 1)), refused);
    }),
  );
  for (let length = 0; length < cursor.length; length += 1) t.throws(() => open(cursor.slice(0, length)), refused);
  t.throws(() => open(`${cursor}A`), refused);
});

test('keyset rejects any other text as a cursor', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json()), (text) => {
      t.throws(() => open(text), refused);
    }),
  );
});

test('keyset rejects a cursor of another store, list or installation', (t) => {
  t.throws(() => open(cursorTo([1, 'a'], { ...store, tenant: { id: 'ten_2' } })), refused);
  t.throws(() => open(cursorTo([1, 'a'], store, 'products name')), refused);
  t.throws(() => open(cursorTo([1, 'a'], { ...store, settings: { keyPepper: randomBytes(32) } })), refused);
});

test('keyset rejects a cursor of a release with another order', (t) => {
  t.throws(() => open(cursorTo(['prod_1'])), refused);
});
