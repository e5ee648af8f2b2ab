import test from 'ava';
import fc from 'fast-check';
import { editDistance, Vocabulary } from '#src/domain/search/vocabulary.ts';

const vocabulary = new Vocabulary(
  'Stoneware mug\nStoneware plate\nCafé mug no. 12\nJute rug\nCafe chair\nTerracotta pot\nTerry towel\nX1000 lamp',
);

test('Vocabulary corrects by equality, one edit, prefix, and two edits for long words', (t) => {
  t.deepEqual(vocabulary.guess('stoneware'), ['stoneware']);
  t.deepEqual(vocabulary.guess('STONWARE'), ['stoneware']);
  t.deepEqual(vocabulary.guess('stonwear'), ['stoneware']);
  t.deepEqual(vocabulary.guess('mgu'), ['mug']);
  t.deepEqual(vocabulary.guess('terrac'), ['terracotta']);
  t.deepEqual(vocabulary.guess('tery'), ['terry']);
  t.deepEqual(vocabulary.guess('rrgs'), [], 'two slips in a short word could be anything');
  t.deepEqual(vocabulary.guess('submarine'), []);
  t.deepEqual(vocabulary.guess('mu'), []);
});

test('Vocabulary joins spellings with and without accents, and puts the more frequent word first', (t) => {
  t.deepEqual(vocabulary.guess('cafe'), ['café', 'cafe']);
  t.deepEqual(vocabulary.guess('cafés').toSorted(), ['cafe', 'café']);
  t.deepEqual(new Vocabulary('rug jug jug mug mug mug').guess('ug'), []);
  t.deepEqual(new Vocabulary('rug jug jug mug mug mug').guess('bug'), ['mug', 'jug', 'rug']);
});

test('Vocabulary does not correct numbers', (t) => {
  t.deepEqual(vocabulary.guess('x1001'), []);
  t.is(new Vocabulary('12 34 x1000 a b').size, 0);
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
