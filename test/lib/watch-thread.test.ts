import test from 'ava';

import { watchThread } from '#src/lib/watch-thread.ts';

test('a thread without idle time is measured as busy', (t) => {
  const isBusy = watchThread(0.5);
  t.false(isBusy());
  const until = performance.now() + 30;
  while (performance.now() < until);
  t.true(isBusy());
});
