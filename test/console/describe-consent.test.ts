import test from 'ava';

import { describeConsent } from '#src/console/src/lib/describe-consent.ts';

test('who declined marketing emails is shown as such, and not like who never decided', (t) => {
  t.deepEqual([true, false, null].map(describeConsent), ['Accepted', 'Declined', 'Never decided']);
});
