import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import test from 'ava';
import fc from 'fast-check';
import { editDistance, nearest } from '#src/lib/edit-distance.ts';
import { readSender } from '#src/lib/email-address.ts';
import { textOfHtml } from '#src/lib/html.ts';
import { networkOf } from '#src/lib/network-of.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { Url } from '#src/lib/schema.ts';
import { textWidth } from '#src/lib/text-width.ts';
import { typedCode } from '#src/lib/typed-code.ts';
import { isUrl, normalizeUrl, urlLengthMax, writtenHostOf } from '#src/lib/url.ts';
import { fits, issuesOf } from '#src/lib/validation.ts';
import { only } from '#test/support/only.ts';

test('nearest finds the word of a typing error', (t) => {
  t.is(nearest('dryrun', ['prune', 'dry-run', 'json']), 'dry-run');
  t.is(nearest('Reviews', ['customer_accounts', 'reviews']), 'reviews');
  t.is(nearest('sotck', ['stock', 'sku']), 'stock');
});

test('nearest finds no word that differs too much', (t) => {
  t.is(nearest('colour', ['slug', 'name', 'tags']), undefined);
  t.is(nearest('x', []), undefined);
});

test('editDistance counts an insertion, deletion, replacement or swap as one edit', (t) => {
  const word = fc.string({ unit: fc.constantFrom(...'abcd'), minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(word, fc.nat(6), fc.constantFrom('drop', 'add', 'replace', 'swap'), (right, place, slip) => {
      const at = place % (right.length - 1);
      const [head, first, second, tail] = [
        right.slice(0, at),
        right[at] ?? '',
        right[at + 1] ?? '',
        right.slice(at + 2),
      ];
      const wrong = {
        drop: head + second + tail,
        add: `${head}x${first}${second}${tail}`,
        replace: `${head}x${second}${tail}`,
        swap: head + second + first + tail,
      }[slip];
      t.is(editDistance(wrong, right, 2), wrong === right ? 0 : 1);
      t.is(editDistance(right, wrong, 2), wrong === right ? 0 : 1);
    }),
  );
  fc.assert(
    fc.property(word, word, (left, right) => {
      const changes = editDistance(left, right, 20);
      t.is(changes, editDistance(right, left, 20));
      t.true(changes >= Math.abs(left.length - right.length) && changes <= Math.max(left.length, right.length));
      t.is(editDistance(left, right, 2), Math.min(changes, 3));
    }),
  );
});

test('textOfHtml reads character references, and leaves those as they are that it does not know', (t) => {
  t.is(textOfHtml('<p>Oak &amp; ash&#44; 20&#xa0;cm</p><p>&hearts;</p>'), 'Oak & ash, 20\u00a0cm\n♥');
  t.is(
    textOfHtml('Caf&eacute; &Uuml;ber&ndash;5&deg;, don&rsquo;t&hellip; &amp;lt;b&gt;'),
    'Café Über–5°, don’t… &lt;b>',
  );
  t.is(textOfHtml('&constructor; &toString; &#0; &#x110000;'), '&constructor; &toString; \ufffd \ufffd');
  // Half of a pair of surrogates cannot be stored.
  t.is(textOfHtml('a &#xd800; b'), 'a \ufffd b');
});

test('textOfHtml keeps apart what blocks and cells keep apart, and leaves comments out', (t) => {
  t.is(textOfHtml('Soft and warm<ul><li>cotton</li><li>wool</li></ul>'), 'Soft and warm\ncotton\nwool');
  t.is(textOfHtml('<div>A<p>B</p></div><h2>C</h2>D<hr>E'), 'A\nB\nC\nD\nE');
  t.is(textOfHtml('<table><tr><th>Width</th><td>10 cm</td></tr><tr><td>a</td></tr></table>'), 'Width 10 cm\na');
  t.is(textOfHtml('<dl><dt>Wood</dt><dd>Oak</dd></dl>b<b>o</b>ld<br><br>end'), 'Wood\nOak\nbold\n\nend');
  t.is(textOfHtml('a<!-- <b>hidden</b> --> b<!--[if gte mso 9]><xml>x</xml><![endif]-->c'), 'a bc');
  t.is(textOfHtml('a <!-- b'), 'a b');
  for (const part of ['<!--', '</td>', '<br>', '<p>', '<', '&', '</td><p>'])
    t.is(textOfHtml(`x${part.repeat(200_000)}`)[0], 'x');
  t.is(textOfHtml('<p>one</p>\n\n<p>two</p><p></p><p>three</p>'), 'one\ntwo\nthree');
});

test('oneLine removes line ends and halves of characters, and respects its length', (t) => {
  t.is(oneLine(' Cedar\r\n\t& \u0000Clay\u2028 '), 'Cedar & Clay');
  t.is(oneLine('🌱🌱🌱', 4), '🌱…');
  t.is(oneLine('\u0007 \n'), '');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, charactersMax) => {
      const line = oneLine(text, charactersMax);
      t.true(line.length <= charactersMax && line.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(line));
    }),
  );
});

test('readSender reads everything before the last bracket as the name', (t) => {
  const table: [string, string, string][] = [
    ['Cedar & Clay <hello@cedar.example>', 'Cedar & Clay', 'hello@cedar.example'],
    ['"Smith, Jones" <hello@cedar.example>', 'Smith, Jones', 'hello@cedar.example'],
    ['"The \\"Best\\" \\\\ Shop" <a@b.example>', 'The "Best" \\ Shop', 'a@b.example'],
    ['The "Best" Shop <a@b.example>', 'The "Best" Shop', 'a@b.example'],
    ['I <3 Bowls <a@b.example>', 'I <3 Bowls', 'a@b.example'],
    ['Über 🌱 木 <a@b.example> ', 'Über 🌱 木', 'a@b.example'],
    ['A\r\nBcc: x@y.example <a@b.example>', 'A Bcc: x@y.example', 'a@b.example'],
    ['hello@cedar.example', '', 'hello@cedar.example'],
    ['<a@b.example>', '', 'a@b.example'],
  ];
  for (const [written, name, address] of table) t.deepEqual(readSender(written), { name, address }, written);
});

test('typedCode reads a code from every keyboard', (t) => {
  const table: [written: string, code: string][] = [
    [' welcome10\n', 'WELCOME10'],
    ['ＷＥＬＣＯＭＥ１０', 'WELCOME10'],
    ['ｗｅｌｃｏｍｅ１０\u3000', 'WELCOME10'],
    ['İNDİRİM10', 'INDIRIM10'],
    ['ındırım10', 'INDIRIM10'],
    ['İndirim10'.toLowerCase(), 'INDIRIM10'],
    ['\u200fRAMADAN١٠\u200e', 'RAMADAN10'],
    ['NEW\u2013YEAR', 'NEW-YEAR'],
    ['NEWーYEAR', 'NEW-YEAR'],
    ['ｎｅｗ＿ｙｅａｒ－１', 'NEW_YEAR-1'],
    ['½™№', '½™№'],
  ];
  for (const [written, code] of table) t.is(typedCode(written), code, written);
  for (const numberingSystem of Intl.supportedValuesOf('numberingSystem')) {
    const digits = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false }).format(1_023_456_789);
    if (/^\p{Nd}+$/u.test(digits)) t.is(typedCode(digits), '1023456789', numberingSystem);
  }
});

test('networkOf returns the network of an IP address in one notation', (t) => {
  t.is(networkOf('203.0.113.77'), '203.0.113');
  t.is(networkOf('::ffff:203.0.113.77'), '203.0.113');
  t.is(networkOf('::ffff:203.0.113.77%eth0'), '203.0.113');
  t.is(networkOf('2001:db8:7:1::5'), '2001:db8:7');
  t.is(networkOf('2001:0DB8:0007:ffff:0:0:0:1'), '2001:db8:7');
  t.is(networkOf('::1'), '0:0:0');
  t.is(networkOf('::1:2:3:4:5:6:7'), '0:1:2');
  t.is(networkOf('fe80::1%eth0'), 'fe80:0:0');
  for (const text of ['', 'localhost', '203.0.113', '203.0.113.256']) t.is(networkOf(text), '', text);
});

/** What people and programs put into a URL although RFC 3986 does not allow it. */
const odd = fc.constantFrom(...'[]{}|^`\'\\<> "%#é中', '%zz', '%7B', '{b}', 'filter[color]=red', 'Fall%20|%20Sale');

const oddUrl = fc
  .tuple(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.array(odd, { maxLength: 6 }))
  .chain(([url, parts]) =>
    fc.constantFrom(`${url}${parts.join('')}`, `${url}?${parts.join('')}`, `${url}#${parts.join('')}`),
  )
  .filter((url) => URL.canParse(url));

const strict = new Ajv2020();

// The package's types describe a namespace where its CommonJS export is the function itself.
(addFormats as unknown as (ajv: Ajv2020) => void)(strict);

const isRfc3986 = strict.compile({ type: 'string', format: 'uri' });

test('Url accepts every URL that browsers accept', (t) => {
  fc.assert(
    fc.property(oddUrl, (url) => {
      t.true(fits(Url, url), url);
    }),
    { numRuns: 500 },
  );
  for (const url of [
    'https://s.x/c?filter[color]=red',
    'https://s.x/?a=Fall%20|%20Sale',
    "https://s.x/men's",
    'https://s.x/^',
    'https://s.x/`',
    'https://s.x/?q={b}',
    'https://münchen.de/ok',
  ]) {
    t.deepEqual(issuesOf(Url, url), [], url);
  }
});

test('normalizeUrl returns what RFC 3986 allows and browsers read alike', (t) => {
  fc.assert(
    fc.property(oddUrl, (url) => {
      const normal = normalizeUrl(url);
      t.true(isRfc3986(normal), `${url} became ${normal}`);
      t.is(normalizeUrl(normal), normal);
      t.is(new URL(normal).origin, new URL(url).origin);
      t.deepEqual([...new URL(normal).searchParams], [...new URL(url).searchParams]);
    }),
    { numRuns: 500 },
  );
  t.is(normalizeUrl('https://münchen.de/ok'), 'https://xn--mnchen-3ya.de/ok');
  t.is(normalizeUrl('http://[::1]:8080/a[b]'), 'http://[::1]:8080/a%5Bb%5D');
  t.is(normalizeUrl('https://s.x/?#'), 'https://s.x/?#');
});

test('Url distinguishes a text that is no URL from one that is too long once encoded', (t) => {
  t.like(issuesOf(Url, 'www.shop.example'), only({ detail: 'must be a URL such as https://shop.example.com/' }));
  const long = `https://s.x/${'中'.repeat(500)}`;
  t.false(isUrl(long));
  t.like(
    issuesOf(Url, long),
    only({ detail: `may have at most ${urlLengthMax} characters once it is percent-encoded` }),
  );
});

test('writtenHostOf shows an international host as people write it', (t) => {
  t.is(writtenHostOf('https://xn--bcher-kva.example/a'), 'bücher.example');
  t.is(writtenHostOf('https://متجر.example:8443'), 'متجر.example:8443');
  for (const host of ['shop.example', '127.0.0.1:3000', '[::1]:3000', 'xn--a.example'])
    t.is(writtenHostOf(`http://${host}/`), host);
});

test('textWidth counts the columns of a terminal', (t) => {
  const table: [text: string, width: number][] = [
    ['Oak bowl', 8],
    ['東京茶屋', 8],
    ['カタカナ・ティー', 16],
    ['ｶﾀｶﾅ', 4],
    ['ガラス', 6],
    ['￥1,234', 7],
    ['한글', 4],
    ['Cafe\u0301', 4],
    ['\u200f٣٫٧٥٠ د.ك.', 10],
    ['🌱👩‍👩‍👧', 4],
    ['', 0],
  ];
  for (const [text, width] of table) t.is(textWidth(text), width, text);
});
