import test from 'ava';
import fc from 'fast-check';

import { editDistance, nearest } from '#src/lib/edit-distance.ts';

test('nearest finds the word of a typing error', (t) => {
  t.is(nearest('dryrun', ['prune', 'dry-run', 'json']), 'dry-run');
  t.is(nearest('Reviews', ['customer_accounts', 'reviews']), 'reviews');
  t.is(nearest('sotck', ['stock', 'sku']), 'stock');
});

test('nearest finds no word that differs too much', (t) => {
  t.is(nearest('colour', ['slug', 'name', 'tags']), undefined);
  t.is(nearest('x', []), undefined);
});

test('editDistance counts an insertion, deletion, replacement or swap as one edit', (t) => {
  const word = fc.string({ unit: fc.constantFrom(...'abcd'), minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(word, fc.nat(6), fc.constantFrom('drop', 'add', 'replace', 'swap'), (right, place, slip) => {
      const at = place % (right.length - 1);
      const [head, first, second, tail] = [
        right.slice(0, at),
        right[at] ?? '',
        right[at + 1] ?? '',
        right.slice(at + 2),
      ];
      const wrong = {
        drop: head + second + tail,
        add: `${head}x${first}${second}${tail}`,
        replace: `${head}x${second}${tail}`,
        swap: head + second + first + tail,
      }[slip];
      t.is(editDistance(wrong, right, 2), wrong === right ? 0 : 1);
      t.is(editDistance(right, wrong, 2), wrong === right ? 0 : 1);
    }),
  );
  fc.assert(
    fc.property(word, word, (left, right) => {
      const changes = editDistance(left, right, 20);
      t.is(changes, editDistance(right, left, 20));
      t.true(changes >= Math.abs(left.length - right.length) && changes <= Math.max(left.length, right.length));
      t.is(editDistance(left, right, 2), Math.min(changes, 3));
    }),
  );
});
