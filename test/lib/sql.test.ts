import test from 'ava';

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
