import test from 'ava';
import { chooseWords, likenessOf, type Word, wordsIn } from '#src/domain/search/vocabulary.ts';

const word = (written: string, documents = 1): Word => ({
  plain: written.normalize('NFKD').replace(/\p{Mark}/gu, ''),
  written,
  documents,
});
const words = 'stoneware mug plate café jute rug cafe chair terracotta pot terry towel lamp'
  .split(' ')
  .map((written) => word(written));
const choose = (typed: string) => chooseWords(typed, words);

test('chooseWords corrects by equality, one edit, prefix, and two edits for long words', (t) => {
  t.deepEqual(choose('stoneware'), ['stoneware']);
  t.deepEqual(choose('STONWARE'), ['stoneware']);
  t.deepEqual(choose('stonwear'), ['stoneware']);
  t.deepEqual(choose('mgu'), ['mug']);
  t.deepEqual(choose('terrac'), ['terracotta']);
  t.deepEqual(choose('tery'), ['terry']);
  t.deepEqual(choose('rrgs'), [], 'two slips in a short word could be anything');
  t.deepEqual(choose('submarine'), []);
  t.deepEqual(choose('mu'), []);
});

test('chooseWords joins spellings with and without accents, and puts the more frequent word first', (t) => {
  t.deepEqual(choose('cafe'), ['café', 'cafe']);
  t.deepEqual(choose('cafés').toSorted(), ['cafe', 'café']);
  const some = [word('rug'), word('jug', 2), word('mug', 3)];
  t.deepEqual(chooseWords('ug', some), []);
  t.deepEqual(chooseWords('bug', some), ['mug', 'jug', 'rug']);
});

test('wordsIn leaves out numbers, what is too short, and repetitions', (t) => {
  t.deepEqual([...wordsIn('12 34 x1000 a b')], []);
  t.deepEqual([...wordsIn('Café mug no. 12\nMUG')], ['café', 'mug']);
});

test('likenessOf keeps the beginning or the end of every word that is one edit away', (t) => {
  for (const { plain } of words) {
    for (let at = 0; at < plain.length; at += 1) {
      const [before, removed, after] = [plain.slice(0, at), plain[at] ?? '', plain.slice(at + 1)];
      const swapped = before + (after[0] ?? '') + removed + after.slice(1);
      for (const typed of [before + after, `${before}x${after}`, `${before}x${removed}${after}`, swapped]) {
        const { start, end, edits } = likenessOf(typed);
        t.true(plain.startsWith(start) || plain.endsWith(end), `${typed} for ${plain}`);
        t.true(Math.abs(plain.length - typed.length) <= edits, `${typed} for ${plain}`);
      }
    }
  }
});
