import test from 'ava';

import { formatConsent, formatDays, formatMoney, formatPercent, headingOf } from '#src/console/src/lib/format.ts';
import { decimalsOf } from '#src/lib/currency.ts';
import { formatMoney as formatInMail } from '#src/lib/format-money.ts';

const { locale } = new Intl.NumberFormat().resolvedOptions();

test('the console writes amounts of every currency as emails do', (t) => {
  for (const currency of Intl.supportedValuesOf('currency')) {
    const unit = 10 ** decimalsOf(currency);
    for (const cents of [0, 1, 50 * unit, 1500 * unit, 12.5 * unit, -1500 * unit])
      t.is(formatMoney(Math.floor(cents), currency), formatInMail(Math.floor(cents), currency, locale));
  }
  t.is(formatMoney(150_000, 'ISK').replace(/\s/, ' '), 'ISK 1,500');
});

test('one day is no days', (t) => {
  t.deepEqual([0, 1, 2].map(formatDays), ['0 days', '1 day', '2 days']);
});

test('a percentage has the decimals of its locale', (t) => {
  t.is(formatPercent(7.25, 'de-DE'), '7,25 %');
  t.deepEqual(
    [0, 7.25, 12.3456].map((percent) => formatPercent(percent, 'en-US')),
    ['0 %', '7.25 %', '12.3456 %'],
  );
});

test('a sentence that becomes a heading has no full stop before its number', (t) => {
  t.deepEqual(
    [headingOf('No carrier offers a rate.', 12), headingOf('Returns to review', 1)],
    ['No carrier offers a rate (12)', 'Returns to review (1)'],
  );
});

test('who declined marketing emails is shown as such, and not like who never decided', (t) => {
  t.deepEqual([true, false, null].map(formatConsent), ['Accepted', 'Declined', 'Never decided']);
});
