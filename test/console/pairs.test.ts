import test from 'ava';

import { pairsOf, valuesOf } from '#src/console/src/pages/settings/pairs.ts';

const stored = { radius: 8, isDark: true, phone: '0123', year: '2026', fonts: ['Inter'], logo: null, json: '{"a":1}' };

test('values that were not edited stay what they are', (t) => {
  t.deepEqual(valuesOf(pairsOf(stored), stored), stored);
});

test('a value that was edited is a text, or the list or object that it is written as', (t) => {
  const pairs = pairsOf(stored).map(({ name, value }) => ({ name, value: name === 'radius' ? '12' : value }));
  t.deepEqual(valuesOf([...pairs, { name: 'colors', value: '["#fff"]' }], stored), {
    ...stored,
    radius: '12',
    colors: ['#fff'],
  });
  t.deepEqual(valuesOf(null, stored), {});
});
