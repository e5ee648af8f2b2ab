import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import test from 'ava';
import fc from 'fast-check';

import { Url } from '#src/lib/schema.ts';
import { isUrl, normalizeUrl, urlLengthMax } from '#src/lib/url.ts';
import { fits, issuesOf } from '#src/lib/validation.ts';

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
  t.like(issuesOf(Url, 'www.shop.example'), [{ detail: 'must be a URL such as https://shop.example.com/' }]);
  const long = `https://s.x/${'中'.repeat(500)}`;
  t.false(isUrl(long));
  t.like(issuesOf(Url, long), [{ detail: `may have at most ${urlLengthMax} characters once it is percent-encoded` }]);
});
