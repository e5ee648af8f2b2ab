import test from 'ava';
import { everyPage } from '#src/domain/payments/provider-calls.ts';

test('everyPage yields all pages, each with the cursor of the one before', async (t) => {
  const requests: object[] = [];
  const pages = [
    { rows: [1, 2], next: 'a' },
    { rows: [3], next: 'b' },
    { rows: [], next: null },
  ];
  const seen: number[] = [];
  for await (const { rows } of everyPage(async (from) => pages[requests.push(from) - 1] ?? t.fail()))
    seen.push(...rows);
  t.deepEqual(seen, [1, 2, 3]);
  t.deepEqual(requests, [{}, { next: 'a' }, { next: 'b' }]);
});

test('everyPage throws when a list never ends', async (t) => {
  await t.throwsAsync(
    async () => {
      for await (const page of everyPage(async () => ({ next: 'again' }))) t.is(page.next, 'again');
    },
    { instanceOf: RangeError },
  );
});
