import test from 'ava';

import { describeConsent } from '#src/console/src/lib/describe-consent.ts';

test('who declined marketing emails is told apart from who was never asked', (t) => {
  t.deepEqual([true, false, null].map(describeConsent), ['Accepted', 'Declined', 'Never decided']);
});
