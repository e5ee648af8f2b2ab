import test from 'ava';

import { describeIssue } from '#src/console/src/lib/describe-issue.ts';

for (const [path, detail, text] of [
  ['/amount_cents', 'must be at most 19250', 'Amount must be at most $192.50.'],
  ['/variants/0/price_cents', 'must be at least 0', 'Variants, 1, Price must be at least $0.00.'],
  ['/quantity', 'must be at most 999', 'Quantity must be at most 999.'],
  ['/countries/1', 'is no country code; did you mean GB?', 'Countries, 2 is no country code; did you mean GB?'],
  ['/url', 'must be an https URL.', 'Url must be an https URL.'],
  ['/url', 'This URL already has an endpoint.', 'This URL already has an endpoint.'],
  ['', 'is not valid', 'is not valid.'],
] as const) {
  test(`describeIssue says "${text}"`, (t) => {
    t.is(describeIssue({ path, detail }, 'USD'), text);
  });
}

test('describeIssue leaves an amount of an unknown currency in minor units', (t) => {
  const issue = { path: '/amount_cents', detail: 'must be at most 19250' };
  t.is(describeIssue(issue, undefined), 'Amount cents must be at most 19250.');
});
