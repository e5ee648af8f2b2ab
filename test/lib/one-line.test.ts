import test from 'ava';
import fc from 'fast-check';

import { oneLine } from '#src/lib/one-line.ts';

test('oneLine removes line ends and halves of characters, and respects its length', (t) => {
  t.is(oneLine(' Cedar\r\n\t& \u0000Clay\u2028 '), 'Cedar & Clay');
  t.is(oneLine('🌱🌱🌱', 4), '🌱…');
  t.is(oneLine('\u0007 \n'), '');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, charactersMax) => {
      const line = oneLine(text, charactersMax);
      t.true(line.length <= charactersMax && line.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(line));
    }),
  );
});
