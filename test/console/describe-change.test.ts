import test from 'ava';

import {
  describeFilter,
  describeProblem,
  describeValue,
  nameOfChanged,
} from '#src/console/src/pages/bulk-changes/describe-change.ts';

for (const [path, before, after, text] of [
  ['variants.BOWL_S.1.compare_at_cents', null, 4200, 'BOWL_S.1, Was: None → $42.00'],
  ['variants.BOWL-S.price_cents', 3800, 3420, 'BOWL-S, Price: $38.00 → $34.20'],
  ['amount_cents', -150, 150, 'Amount: -$1.50 → $1.50'],
  [
    'prices',
    ['price_cents'],
    ['compare_at_cents', 'subscription_price_cents'],
    'Prices: Price → Was, Subscription price',
  ],
  ['tags', [], ['oak', 'autumn'], 'Tags: None → oak, autumn'],
  ['at_period_end', false, true, 'At period end: No → Yes'],
  ['percent', -10, 5, 'Percent: -10 → 5'],
] as const)
  test(`a change is described as "${text}"`, (t) => {
    const shown = (value: unknown) => describeValue(path, value, 'USD');
    t.is(`${nameOfChanged(path)}: ${shown(before)} → ${shown(after)}`, text);
  });

test('what was selected is said as people say it', (t) => {
  t.is(describeFilter({ status: 'past_due', tag: 'oak_wood' }), 'Status: Past due, Tag: oak_wood');
  t.regex(describeFilter({ from: '2026-11-01T00:00:00Z' }), /^From: .*2026/);
  t.is(describeFilter({}), 'All');
});

test('why a change is rejected is said with the labels of prices', (t) => {
  t.is(describeProblem('price_cents of BOWL-S would be below zero.'), 'Price of BOWL-S would be below zero.');
  t.is(describeProblem('compare_at_cents of BOWL-S was changed since.'), 'Was of BOWL-S was changed since.');
});
