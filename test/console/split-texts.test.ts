import test from 'ava';

import { splitTexts } from '#src/console/src/lib/split-texts.ts';

test('what is entered with commas is several texts, each once and without the spaces around it', (t) => {
  t.deepEqual(splitTexts(['oak', 'wood, gift']), ['oak', 'wood', 'gift']);
  t.deepEqual(splitTexts(['US', 'US,CA , GB,']), ['US', 'CA', 'GB']);
  t.deepEqual(splitTexts(['made in Maine', ' , ']), ['made in Maine']);
  t.deepEqual(splitTexts([]), []);
});
