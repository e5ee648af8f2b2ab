import test from 'ava';

import { firstWithRows } from '#src/console/src/lib/first-with-rows.ts';

const pages = {
  first: { rows: [], cursor: 'second' },
  second: { rows: [], cursor: 'third' },
  third: { rows: ['bowl'], cursor: 'last' },
  last: { rows: [], cursor: null },
};

const read = async (cursor: string | undefined) => pages[(cursor ?? 'first') as keyof typeof pages];

test('firstWithRows reads on from an empty page that has a cursor, to one with rows or the end', async (t) => {
  t.is(await firstWithRows(read), pages.third);
  t.is(await firstWithRows(read, 'third'), pages.third);
  t.is(await firstWithRows(read, 'last'), pages.last);
});
