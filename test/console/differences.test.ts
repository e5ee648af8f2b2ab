import test from 'ava';

import { differencesOf } from '#src/console/src/lib/differences.ts';

test('differencesOf names each field that differs in words, with amounts in their currency', (t) => {
  const theirs = {
    name: 'Bowl',
    compare_at_cents: null,
    tags: ['oak', 'gift'],
    subscribable: false,
    variants: [{ sku: 'A', price_cents: 3800, options: { size: 'S' } }],
  };
  const mine = {
    ...theirs,
    compare_at_cents: 4200,
    tags: ['oak'],
    subscribable: true,
    variants: [
      { sku: 'A', price_cents: 3950, options: { size: 'L' } },
      { sku: 'B', price_cents: 100 },
    ],
  };
  t.deepEqual(differencesOf(theirs, mine, 'USD'), [
    { field: 'Compare at', theirs: '', mine: '$42.00' },
    { field: 'Tags', theirs: 'oak, gift', mine: 'oak' },
    { field: 'Subscribable', theirs: 'No', mine: 'Yes' },
    { field: 'Variants, 1, Price', theirs: '$38.00', mine: '$39.50' },
    { field: 'Variants, 1, Options, Size', theirs: 'S', mine: 'L' },
    { field: 'Variants, 2, Sku', theirs: '', mine: 'B' },
    { field: 'Variants, 2, Price', theirs: '', mine: '$1.00' },
  ]);
  t.deepEqual(differencesOf(theirs, structuredClone(theirs), 'USD'), []);
});
