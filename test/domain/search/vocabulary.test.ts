import test from 'ava';
import { Vocabulary } from '#src/domain/search/vocabulary.ts';

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
