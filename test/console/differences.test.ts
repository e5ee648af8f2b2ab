import test from 'ava';

import { differencesOf } from '#src/console/src/lib/differences.ts';
import { formatTime } from '#src/console/src/lib/format.ts';

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

test('differencesOf names fields by the labels of their form, and writes times as people do', (t) => {
  const labels: Readonly<Record<string, string>> = { ends_at: 'Until', 'variants.0.compare_at_cents': 'Was (USD)' };
  const theirs = { ends_at: null, variants: [{ compare_at_cents: 4200 }] };
  const mine = { ends_at: '2026-06-01T10:00:00.000Z', variants: [{ compare_at_cents: null }] };
  t.deepEqual(
    differencesOf(theirs, mine, 'USD', (source) => labels[source]),
    [
      { field: 'Until', theirs: '', mine: formatTime(mine.ends_at) },
      { field: '1, Was (USD)', theirs: '$42.00', mine: '' },
    ],
  );
});
