import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';

import type { Context } from '#src/domain/context.ts';
import { checkReturnUrl, fillReturnUrl } from '#src/domain/return-url.ts';
import type { Settings } from '#src/domain/settings.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { only } from '#test/support/only.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const storefrontUrl = 'https://shop.example';
const isAllowed = (
  ctx: Context,
  url: string,
  { allowedOrigins, ...settings }: Partial<Settings> & { allowedOrigins: string[] },
) => {
  try {
    const tenant = { ...ctx.tenant, storefrontUrl, allowedOrigins };
    checkReturnUrl({ ...ctx, tenant, settings: { ...ctx.settings, localMode: false, ...settings } }, 'return_url', url);
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid_request') return false;
    throw error;
  }
};
const any = ['*'];
const listed = ['https://www.shop.example'];

test('checkReturnUrl accepts the listed origins and the storefront, or any https URL without a list', (t) => {
  const { ctx } = t.context;
  const urls: [url: string, any: boolean, listed: boolean][] = [
    ['https://shop.example/thanks?id=1', true, true],
    ['https://www.shop.example/', true, true],
    ['https://elsewhere.example/', true, false],
    ['https://shop.example.evil.example/', true, false],
    ['https://shop.example@evil.example/', true, false],
    ['https://shop.example:8443/', true, false],
    ['http://shop.example/', false, false],
    ['javascript:alert(1)', false, false],
    ['ftp://shop.example/', false, false],
    ['/thanks', false, false],
    ['', false, false],
    ['https://', false, false],
    ['https://shop.example\\@evil.example/', true, true],
    ['https://evil.example\\@shop.example/', true, false],
    ['https://shop.example/{OTHER}?filter[color]=red|^`', true, true],
  ];
  for (const [url, anywhere, atListed] of urls) {
    t.is(isAllowed(ctx, url, { allowedOrigins: any }), anywhere, url);
    t.is(isAllowed(ctx, url, { allowedOrigins: listed }), atListed, `${url} of a store that lists origins`);
  }
});

test("checkReturnUrl leads home to a developer's machine in the test environment, whatever the store lists", (t) => {
  const { ctx } = t.context;
  for (const url of ['http://localhost:5173/order', 'http://127.0.0.1:8080/', 'http://localhost/']) {
    for (const allowedOrigins of [any, listed]) {
      t.true(isAllowed(ctx, url, { allowedOrigins, appMode: 'test' }), url);
      t.false(isAllowed(ctx, url, { allowedOrigins, appMode: 'live' }), `${url} in live mode`);
    }
  }
  for (const url of [
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost@evil.example/',
    'http://127.0.0.2/',
  ]) {
    t.false(isAllowed(ctx, url, { allowedOrigins: any, appMode: 'test' }), url);
  }
});

test('fillReturnUrl names the order and leaves the session to the provider', (t) => {
  const { ctx } = t.context;
  const url = 'https://shop.example/order/{ORDER_ID}?session={CHECKOUT_SESSION_ID}&order={ORDER_ID}#{ORDER_ID}';
  t.is(
    fillReturnUrl(ctx, 'return_url', url, 'ord_1'),
    'https://shop.example/order/ord_1?session={CHECKOUT_SESSION_ID}&order=ord_1#ord_1',
  );
});

test('fillReturnUrl knows its placeholders in either spelling, and takes other braces for characters', (t) => {
  const { ctx } = t.context;
  const query = new URLSearchParams({ id: '{ORDER_ID}', session: '{CHECKOUT_SESSION_ID}', b: '{b}' });
  t.is(
    fillReturnUrl(ctx, 'return_url', `https://shop.example/order?${query}&c={b}|[1]`, 'ord_1'),
    'https://shop.example/order?id=ord_1&session={CHECKOUT_SESSION_ID}&b=%7Bb%7D&c=%7Bb%7D%7C%5B1%5D',
  );
  t.is(
    fillReturnUrl(ctx, 'return_url', 'https://münchen.de/%7bORDER_ID%7d/%257BORDER_ID%257D', 'ord_1'),
    'https://xn--mnchen-3ya.de/ord_1/%257BORDER_ID%257D',
  );
});

test('fillReturnUrl rejects an unusable URL with its reason', (t) => {
  const { ctx } = t.context;
  const own: Context = { ...ctx, settings: { ...ctx.settings, localMode: false } };
  const listing: Context = { ...own, tenant: { ...ctx.tenant, storefrontUrl, allowedOrigins: listed } };
  const rows: [ctx: Context, url: string, detail: string][] = [
    [own, 'ftp://shop.example/', 'must be an https URL'],
    [own, 'http://shop.example/', 'must be an https URL'],
    [
      own,
      `https://shop.example/?a=${'{ORDER_ID}'.repeat(200)}`,
      'may have at most 2048 characters once it is filled in',
    ],
    [listing, 'https://evil.example/', "must be on the storefront or on one of the store's allowed origins"],
  ];
  for (const [ctx, url, detail] of rows) {
    const error = t.throws<DomainError>(() => fillReturnUrl(ctx, 'cancel_url', url, 'ord_01m7xfs208fk1sctzyr3afnpz3'));
    t.like(
      error,
      { message: `cancel_url ${detail}.`, extensions: { errors: only({ path: '/cancel_url', detail }) } },
      url,
    );
  }
});

test('a store that lists origins never redirects a shopper anywhere else, whatever is requested', (t) => {
  const { ctx } = t.context;
  const part = fc.constantFrom(
    'https://',
    'http://',
    '//',
    '/',
    '\\',
    '@',
    ':',
    '.',
    '?',
    '#',
    '%2f',
    '\t',
    ' ',
    '{ORDER_ID}',
    '%7BORDER_ID%7D',
    '{CHECKOUT_SESSION_ID}',
    '{b}',
    '[',
    'shop.example',
    'www.shop.example',
    'evil.example',
    'localhost',
    '443',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const url = parts.join('');
      const tenant = { ...ctx.tenant, storefrontUrl, allowedOrigins: listed };
      const settings: Settings = { ...ctx.settings, localMode: false, appMode: 'live' };
      try {
        const filled = fillReturnUrl({ ...ctx, tenant, settings }, 'return_url', url, 'ord_1');
        t.true(['https://shop.example', 'https://www.shop.example'].includes(new URL(filled).origin), url);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
    }),
    // Chance alone may make 2,000 URLs that are all rejected.
    { numRuns: 2000, examples: [[['https://', 'shop.example', '/', '{ORDER_ID}']]] },
  );
});
