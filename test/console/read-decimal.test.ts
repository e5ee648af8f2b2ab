import test from 'ava';

import { readDecimal } from '#src/console/src/lib/read-decimal.ts';

for (const [text, decimals, number] of [
  ['12.50', 2, 12.5],
  ['12,50', 2, 12.5],
  ['12', 2, 12],
  ['1,234.50', 2, 1234.5],
  ['1.234,50', 2, 1234.5],
  ['1 234 567,89', 2, 1_234_567.89],
  ["1'234.5", 2, 1234.5],
  ['1,000', 2, 1000],
  ['1.000.000', 2, 1_000_000],
  ['1.000', 0, 1000],
  ['1.000', 3, 1],
  ['.5', 2, 0.5],
  ['-,05', 2, -0.05],
  ['.125', 3, 0.125],
  ['1.000', 2, undefined],
  ['-3', 0, -3],
  ['−3', 0, -3],
  ['１，２３４．５０', 2, 1234.5],
  ['－３', 0, -3],
  ['१,२३४.५०', 2, 1234.5],
  ['٣٫٧٥', 2, 3.75],
  ['1²', 0, undefined],
  ['0.001', 2, undefined],
  ['.125', 2, undefined],
  ['.5', 0, undefined],
  ['.', 2, undefined],
  ['12.5', 0, undefined],
  ['1,23,456', 2, undefined],
  ['1e3', 2, undefined],
  ['€5', 2, undefined],
  ['-', 2, undefined],
] as const)
  test(`readDecimal with ${decimals} decimals takes ${text} for ${number ?? 'no number'}`, (t) => {
    t.is(readDecimal(text, decimals), number);
  });

for (const [text, locale, number] of [
  ['1.125', 'en-US', undefined],
  ['1,125', 'en-US', 1125],
  ['1,125', 'de-DE', undefined],
  ['1.125', 'de-DE', 1125],
  ['1.125', 'fr-FR', 1125],
  ['1,00,000', 'en-IN', 100_000],
  ['12,34,567.50', 'en-IN', 1_234_567.5],
  ['1,23,45,678', 'hi-IN', 12_345_678],
  ['100,000.50', 'en-IN', 100_000.5],
  ['1,00,00', 'en-IN', undefined],
  ['1,00,000', 'en-US', undefined],
  ['1,23,456', 'en-IN', 123_456],
  ['1,234,56', 'en-IN', undefined],
  ['१२,३४,५६७', 'hi-IN', 1_234_567],
  ['١٬٢٥٠', 'ar-AE', 1250],
] as const)
  test(`readDecimal with two decimals takes ${text} in ${locale} for ${number ?? 'no number'}`, (t) => {
    t.is(readDecimal(text, 2, [], locale), number);
  });

test('readDecimal takes a cell of a spreadsheet for its number, and two cells for none', (t) => {
  t.is(readDecimal('12.50\t', 2), 12.5);
  t.is(readDecimal('12.50\t3', 2), undefined);
  t.is(readDecimal('12\t13', 2), undefined);
});

test('readDecimal takes the signs of its currency before or after the number, and no others', (t) => {
  const signs = ['USD', '$'];
  const read = (text: string) => readDecimal(text, 2, signs);
  t.deepEqual(['$1,299.00', '1.299,00 $', 'USD 12.5', ' 12.50 USD '].map(read), [1299, 1299, 12.5, 12.5]);
  t.deepEqual(['€5', '$$5', '1$50', '$', '$ USD'].map(read), [undefined, undefined, undefined, undefined, undefined]);
});

const locales = [
  'en-US',
  'en-IN',
  'de-DE',
  'de-CH',
  'fr-FR',
  'pt-BR',
  'hi-IN',
  'ja-JP',
  'mr-IN',
  'ar-AE',
  'ar-EG',
  'fa-IR',
  'he-IL',
];

for (const locale of locales)
  for (const decimals of [0, 2, 3])
    test(`readDecimal with ${decimals} decimals reads in ${locale} what is written there`, (t) => {
      for (const minimumFractionDigits of [0, decimals])
        for (const useGrouping of [true, false]) {
          const options = { minimumFractionDigits, maximumFractionDigits: decimals, useGrouping };
          const written = new Intl.NumberFormat(locale, options);
          for (const number of [0, -3, 1.25, 12.5, 1250, 12_345.678, 1_234_567.891].map((number) =>
            Number(number.toFixed(decimals)),
          ))
            t.is(readDecimal(written.format(number), decimals, [], locale), number, written.format(number));
        }
    });

for (const locale of locales)
  test(`readDecimal reads amounts as they are shown in ${locale}`, (t) => {
    for (const currency of ['USD', 'EUR', 'INR', 'JPY', 'SAR', 'AED', 'BRL', 'ILS']) {
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
      const sign = format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? '';
      const { maximumFractionDigits: decimals = 2 } = format.resolvedOptions();
      for (const amount of [12.5, 1_234_567.89].map((amount) => Number(amount.toFixed(decimals))))
        t.is(readDecimal(format.format(amount), decimals, [sign], locale), amount, format.format(amount));
    }
  });

test('readDecimal takes the sign of the yen as either keyboard writes it', (t) => {
  for (const sign of ['¥', '￥'])
    t.deepEqual(
      ['¥1,234', '￥１，２３４'].map((text) => readDecimal(text, 0, [sign])),
      [1234, 1234],
    );
});
