import test from 'ava';

import { nearest } from '#src/lib/nearest.ts';

test('a slip of the finger finds the word that was meant', (t) => {
  t.is(nearest('dryrun', ['prune', 'dry-run', 'json']), 'dry-run');
  t.is(nearest('Reviews', ['customer_accounts', 'reviews']), 'reviews');
  t.is(nearest('sotck', ['stock', 'sku']), 'stock');
});

test('another word altogether finds none', (t) => {
  t.is(nearest('colour', ['slug', 'name', 'tags']), undefined);
  t.is(nearest('x', []), undefined);
});
