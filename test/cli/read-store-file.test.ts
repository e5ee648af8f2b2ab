import test from 'ava';

import { readStoreFile } from '#src/cli/apply/read-store-file.ts';

test('readStoreFile resolves references in place of any value, also inside braces and brackets', (t) => {
  const text = 'a: ${ONE}\nb: { c: ${TWO}, d: [${ONE}, x] }\ne: "https://${ONE}/hooks"\nf: |\n  costs $${ONE}\n';
  const { value, problems } = readStoreFile(text, { ONE: '1', TWO: 'two: {[#' });
  t.deepEqual(problems, []);
  t.deepEqual(value, { a: '1', b: { c: 'two: {[#', d: ['1', 'x'] }, e: 'https://1/hooks', f: 'costs ${ONE}\n' });
});

test('readStoreFile reads JSON', (t) => {
  t.deepEqual(readStoreFile('{ "a": "${ONE}", "b": [1, null, true] }', { ONE: 'x' }).value, {
    a: 'x',
    b: [1, null, true],
  });
});

test('readStoreFile leaves times as text', (t) => {
  t.deepEqual(readStoreFile('at: 2026-01-05T00:00:00Z', {}).value, { at: '2026-01-05T00:00:00Z' });
});

test('readStoreFile reports every missing variable with its line', (t) => {
  const { problems, locate } = readStoreFile('a: 1\nb: { c: ${GONE} }\nd: ${EMPTY}\n', { EMPTY: '' });
  t.deepEqual(
    problems.map(({ line, column, detail }) => [line, column, detail]),
    [
      [2, 9, 'needs the variable GONE, which is not set'],
      [3, 4, 'needs the variable EMPTY, which is not set'],
    ],
  );
  t.is(locate({ path: '/b/c', detail: 'must not be empty' }), undefined, 'that is explained already');
});

test('readStoreFile ignores references in comments', (t) => {
  t.deepEqual(readStoreFile('# ${NOWHERE}\na: 1 # ${NEITHER}\n', {}).problems, []);
});

test('an issue has the line of its field, and a missing field that of its parent', (t) => {
  const text = 'store:\n  slug: x\nproducts:\n  - slug: a\n    variants:\n      - { sku: A, price_cents: free }\n';
  const { locate } = readStoreFile(text, {});
  const at = (path: string) => {
    const { line, column, field } = locate({ path, detail: '' }) ?? {};
    return [line, column, field];
  };
  t.deepEqual(at('/products/0/variants/0/price_cents'), [6, 19, 'products[0].variants[0].price_cents']);
  t.deepEqual(at('/products/0/name'), [4, 5, 'products[0].name']);
  t.deepEqual(at('/store/currency'), [1, 1, 'store.currency']);
  t.deepEqual(at('/modules'), [1, 1, 'modules']);
  t.deepEqual(at(''), [1, 1, '']);
});

test('an issue in an alias has the line of its anchor', (t) => {
  const { value, locate } = readStoreFile('a: &box { width: wide }\nb: *box\n', {});
  t.deepEqual(value, { a: { width: 'wide' }, b: { width: 'wide' } });
  t.is(locate({ path: '/b/width', detail: '' })?.line, 1);
});

test('readStoreFile reports broken syntax with its line, and references as they were written', (t) => {
  const { value, problems } = readStoreFile('a: 1\nb: [1, 2\nc: 3\n', {});
  t.is(value, undefined);
  t.true(problems.length > 0 && problems.every(({ line }) => line >= 2));
  t.is(
    readStoreFile('not a map\n$ nor this\na: { b: [1, 2] }\nc: [3, 4]\n', {}).problems.length,
    1,
    'not every token behind it',
  );
  const twice = readStoreFile('${A}: 1\n${A}: 2\n', {}).problems;
  t.is(twice[0]?.line, 2);
});

test('readStoreFile returns no value for an empty file', (t) => {
  const { value, locate } = readStoreFile('', {});
  t.is(value, null);
  t.deepEqual(locate({ path: '', detail: 'must be an object' }), {
    line: 1,
    column: 1,
    field: '',
    detail: 'must be an object',
  });
});
