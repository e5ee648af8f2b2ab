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

test('describeIssue writes the step of a currency in it', (t) => {
  const detail = 'must be a multiple of 10, to be charged in KWD';
  t.is(
    describeIssue({ path: '/price_cents', detail }, 'KWD'),
    'Price must be a multiple of KWD\u00a00.010, to be charged in KWD.',
  );
});

test('describeIssue names the place as it is called where it is shown', (t) => {
  const issue = { path: '/variants/1/price_cents', detail: 'must be at least 0' };
  t.is(describeIssue(issue, 'USD', undefined, 'Price'), 'Price must be at least $0.00.');
});

for (const [path, detail, text] of [
  ['/ends_at', 'must be later than starts_at', 'Until must be later than From.'],
  ['/to', 'must not be before from', 'Until must not be before From.'],
  ['/variants/1/price_cents', 'must be at least 0', 'Variants, 2, Price (USD) must be at least $0.00.'],
  ['/variants/1/sku', 'is the same as that of usage_limit', 'Variants, 2, Sku is the same as that of usage_limit.'],
  ['/countries/1', 'is no country code', 'Countries that you ship to, 2 is no country code.'],
  ['/origin/country', 'is no country code', 'Country is no country code.'],
  ['/origin/none', 'is unknown', 'Origin, None is unknown.'],
] as const) {
  const labels: Readonly<Record<string, string>> = {
    from: 'From',
    to: 'Until',
    starts_at: 'From',
    ends_at: 'Until',
    variants: 'Variants',
    'variants.1.price_cents': 'Price (USD)',
    countries: 'Countries that you ship to',
    'origin.country': 'Country',
  };
  test(`describeIssue names fields by the labels of their form: "${text}"`, (t) => {
    t.is(
      describeIssue({ path, detail }, 'USD', (source) => labels[source]),
      text,
    );
  });
}

test('describeIssue leaves an amount of an unknown currency in minor units', (t) => {
  const issue = { path: '/amount_cents', detail: 'must be at most 19250' };
  t.is(describeIssue(issue, undefined), 'Amount cents must be at most 19250.');
});
