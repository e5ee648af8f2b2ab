import test from 'ava';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';

import { cellOf, csvOf } from '#src/domain/bulk/csv.ts';

const texts = fc.string({
  unit: fc.constantFrom('=', '+', '-', '@', '＝', '＋', '－', '＠', ';', "'", '"', ',', '\n', '\r', '\t', 'a', ' '),
});

test('no spreadsheet finds a formula in a text, also where it separates cells by semicolons', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      for (const cell of csvOf([[text, text, { text }]]).split(/[;\r\n]/)) t.notRegex(cell, /^"?\t*[=+@＝＋－＠-]/);
    }),
  );
  t.is(csvOf([['Bowl;=HYPERLINK(1)', 'Oak\n+1']]), `Bowl;'=HYPERLINK(1),"Oak\n'+1"\r\n`);
  t.is(csvOf([['＝HYPERLINK(1)', 'Oak;＠SUM(1)']]), "'＝HYPERLINK(1),Oak;'＠SUM(1)\r\n");
});

for (const recordDelimiter of ['\n', '\r', '\r\n'])
  test(`a cell is read as the text that was written, where rows end with ${JSON.stringify(recordDelimiter)}`, (t) => {
    fc.assert(
      fc.property(texts, (text) => {
        const file = csvOf([['first', text, { text }]]).replace(/\r\n$/, recordDelimiter);
        const rows: string[][] = parse(file, { record_delimiter: recordDelimiter });
        t.deepEqual(
          rows.map((cells) => cells.map(cellOf)),
          [['first', text, JSON.stringify({ text })]],
        );
      }),
    );
  });
