import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import fc from 'fast-check';
import { parse } from 'yaml';
import { findDamage, readStoreFile } from '#src/cli/apply/read-store-file.ts';
import { hideReferences, resolveReferences, showReferences } from '#src/cli/apply/references.ts';
import { sections } from '#src/cli/apply/sections.ts';
import { loadStoreFile } from '#src/cli/apply/store-file.ts';
import { readConfig } from '#src/config.ts';
import { StoreInput } from '#src/domain/tenants/index.ts';
import { testEnvironment } from '#test/support/environment.ts';

const example = readFileSync(fileURLToPath(new URL('../../src/cli/apply/store.example.yaml', import.meta.url)), 'utf8');
const environment = {
  STRIPE_SECRET_KEY: 'sk_test_hush',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_hush',
  STRIPE_WEBHOOK_SECRET: 'whsec_hush',
  SHIPPO_API_KEY: 'shippo_test_hush',
  SHIPPO_WEBHOOK_TOKEN: 'hush_token_hush_token',
  EASYPOST_API_KEY: 'EZTK_hush',
  ERP_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 'hush').toString('base64')}`,
};
const local = readConfig(testEnvironment()).settings;
const strict = { ...local, localMode: false };

/** What is wrong with the example when some of its text is other text: `line field detail`. */
function problemsOf(replacements: readonly (readonly [string, string])[], settings = local): string[] {
  const text = replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The example does not say "${from}".`);
    return text.replace(from, to);
  }, example);
  const loaded = loadStoreFile(text, environment, settings);
  return 'problems' in loaded ? loaded.problems.map(({ line, field, detail }) => `${line} ${field} ${detail}`) : [];
}
const lineOf = (words: string) => example.slice(0, example.indexOf(words)).split('\n').length;

test('the example is valid, also in the live environment', (t) => {
  t.deepEqual(problemsOf([]), []);
  t.deepEqual(problemsOf([], strict), []);
});

test('the example shows every section and every field', (t) => {
  const fields = [
    ['store', StoreInput] as const,
    ...sections.map(({ name, schema }) => [name, schema] as const),
  ].flatMap(([name, schema]) => [name, ...fieldsOf(schema).map((field) => `${name} ${field}`)]);
  t.deepEqual(
    fields.filter((field) => !new RegExp(`\\b${field.split(' ').at(-1)}:`).test(example)),
    [],
  );
});

/** The names of all the fields that a schema has, at every depth. */
function fieldsOf(schema: object): string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'properties')
      return Object.entries<object>(value).flatMap(([name, field]) => [name, ...fieldsOf(field)]);
    return ['items', 'anyOf', 'allOf'].includes(keyword) || Array.isArray(schema) ? fieldsOf(value) : [];
  });
}

test('the issues of a store file are reported together in its order, with line and field', (t) => {
  const problems = problemsOf([
    ['currency: USD', 'currency: dollars'],
    ['timezone: America/New_York', 'timezone: America/Old_York'],
    ['reviews: true', 'reviews: yes'],
    ['session_lifetime: 60m', 'session_lifetime: soon'],
    ['kind: secret', 'kind: secrett'],
    ['price_cents: 3800', 'price_cents: 38.50'],
    ['type: fixed, value_cents: 500', 'type: fixed'],
  ]);
  t.deepEqual(
    problems.map((problem) => problem.split(' ').slice(0, 2).join(' ')),
    [
      `${lineOf('currency: USD')} store.currency`,
      `${lineOf('reviews: true')} modules.reviews`,
      `${lineOf('session_lifetime')} payments.session_lifetime`,
      `${lineOf('kind: secret')} keys[1].kind`,
      `${lineOf('price_cents: 3800')} products[0].variants[0].price_cents`,
      `${lineOf('FIVEOFF')} promo_codes[1].value_cents`,
    ],
  );
  t.deepEqual(problemsOf([['timezone: America/New_York', 'timezone: America/Old_York']]), [
    `${lineOf('timezone:')} store.timezone is no time zone that is known`,
  ]);
  for (const locale of ['english', 'en_US', 'xx-US']) {
    t.deepEqual(problemsOf([['locale: en-US', `locale: ${locale}`]]), [
      `${lineOf('locale:')} store.locale is no locale that is known`,
    ]);
  }
});

test('an unknown field is reported with the most similar one', (t) => {
  t.deepEqual(problemsOf([['low_stock_at: 3', 'low_stok_at: 3']]), [
    `${lineOf('low_stock_at')} products[0].variants[1].low_stok_at is not known here; did you mean low_stock_at?`,
  ]);
  t.deepEqual(problemsOf([['promo_codes:', 'promocodes:']]), [
    `${lineOf('promo_codes:')} promocodes is not known here; did you mean promo_codes?`,
  ]);
  t.deepEqual(problemsOf([['theme: { accent:', 'theme: { anything:']]), [], "a theme is the storefront's own");
});

test('a missing field is reported at its parent', (t) => {
  t.deepEqual(problemsOf([['    name: Oak bowl\n', '']]), [`${lineOf('slug: oak-bowl')} products[0].name is required`]);
  t.true(problemsOf([['store:', 'stores:']]).includes(`${lineOf('store:')} store is required`));
});

test('entries of a list with the same name are reported', (t) => {
  const repeated: [string, string, string][] = [
    ['slug: coffee', 'slug: oak-bowl', 'products[1].slug is the same as in entry 1 of the list'],
    ['sku: COFFEE-1', 'sku: BOWL-S', 'products[1].variants[0].sku is a variant of oak-bowl already'],
    ['code: FIVEOFF', 'code: welcome10', 'promo_codes[1].code is the same as in entry 1 of the list'],
    ['name: backend', 'name: storefront', 'keys[1].name is the same as in entry 1 of the list'],
  ];
  for (const [from, to, message] of repeated) t.is(problemsOf([[from, to]])[0], `${lineOf(from)} ${message}`);

  const twice = '{ code: ABCD-EFGH, balance_cents: 1 }, { code: abcdefgh, balance_cents: 1 }';
  t.deepEqual(problemsOf([['{ code: ABCD-EFGH-JKLM-NPQR, balance_cents: 5000 }', twice]]), [
    `${lineOf('gift_cards: [')} gift_cards[1].code is the same as in entry 1 of the list`,
  ]);
});

test('prices that cannot be charged in the currency are reported, all of them', (t) => {
  const inKuwait: [string, string] = ['currency: USD', 'currency: KWD'];
  const wrong: [string, string][] = [
    inKuwait,
    ['price_cents: 6200', 'price_cents: 6205'],
    ['subscription_price_cents: 1700', 'subscription_price_cents: 1701'],
  ];
  const reason = 'must be a multiple of 10, to be charged in KWD';
  t.deepEqual(problemsOf(wrong), [
    `${lineOf('sku: BOWL-L')} products[0].variants[1].price_cents ${reason}`,
    `${lineOf('sku: COFFEE-1')} products[1].variants[0].subscription_price_cents ${reason}`,
  ]);
  t.deepEqual(problemsOf(wrong.slice(1)), [], 'in US dollars');
});

test('an entry that lacks its fields hides no issue of the entries beside it', (t) => {
  const document = parse(example.replaceAll(/\$\{([A-Z_]+)\}/g, '"$${$1}"'));
  const lists = Object.keys(document).filter((name) => Array.isArray(document[name]));
  t.true(lists.length > 5);
  for (const name of lists) {
    const items = document[name];
    const changed = JSON.stringify({ ...document, [name]: [{}, ...items, items[0]] });
    const loaded = loadStoreFile(changed, environment, strict);
    const fields = 'problems' in loaded ? loaded.problems.map(({ field, detail }) => `${field} ${detail}`) : [];
    t.true(
      fields.some((said) => said.startsWith(`${name}[0]`)),
      name,
    );
    t.true(
      fields.some((said) => said.startsWith(`${name}[${items.length + 1}].`) && said.includes('as in entry 2 of')),
      name,
    );
  }
});

test("a publishable key with more than a shopper's scopes is reported", (t) => {
  t.deepEqual(problemsOf([['[products:read,', '[admin:read, products:read,']]), [
    `${lineOf('[products:read,')} keys[0].scopes[0] may not be held by a publishable key: admin:read`,
  ]);
});

test('http URLs are accepted in local mode only', (t) => {
  const storefront = ['https://shop.cedar.example', 'http://shop.cedar.example'] as const;
  const erp = ['https://erp.cedar.example', 'http://127.0.0.1:4000'] as const;
  t.deepEqual(problemsOf([storefront, erp]), []);
  t.deepEqual(problemsOf([storefront, erp], strict), [
    `${lineOf('storefront_url')} store.storefront_url must be https; http is for LOCAL_MODE=1`,
    `${lineOf('https://erp.')} webhook_endpoints[0].url must be https; http is for LOCAL_MODE=1`,
  ]);
  const [withPassword = ''] = problemsOf([['https://erp.', 'https://me:secret@erp.']]);
  t.regex(withPassword, /must not contain a user name or a password/);
  const [script = ''] = problemsOf([['https://shop.cedar.example', 'javascript:alert(1)//']]);
  t.regex(script, /storefront_url must be a URL such as https:/);
});

test('durations have bounds, and seconds are accepted in local mode only', (t) => {
  const lifetime = (written: string) => [['session_lifetime: 60m', `session_lifetime: ${written}`]] as const;
  for (const written of ['35m', '23h']) t.deepEqual(problemsOf(lifetime(written), strict), [], written);
  for (const written of ['34m', '24h', '30s', '0m']) t.is(problemsOf(lifetime(written), strict).length, 1, written);
  t.deepEqual(problemsOf(lifetime('30s')), []);
  t.is(problemsOf(lifetime('0s')).length, 1);
  t.deepEqual(problemsOf(lifetime('30s'), strict), [
    `${lineOf('session_lifetime')} payments.session_lifetime must be from 35m to 23h; ` +
      'shorter times are for LOCAL_MODE=1',
  ]);
});

test('countries are given as two-letter codes, of destinations that the payment page offers', (t) => {
  const line = lineOf('countries:');
  t.deepEqual(problemsOf([['countries: [US, CA, GB]', 'countries: [US, UK, QQ, VI]']]), [
    `${line} shipping.countries[1] is no country code; did you mean GB?`,
    `${line} shipping.countries[2] is no country code`,
    `${line} shipping.countries[3] is not offered as a destination by the payment provider`,
  ]);
});

test('a missing variable is reported once, with its name and line', (t) => {
  const loaded = loadStoreFile(example, {}, local);
  const problems = 'problems' in loaded ? loaded.problems : [];
  t.deepEqual(
    problems.map(({ detail }) => /[A-Z_]{5,}/.exec(detail)?.[0]),
    Object.keys(environment),
  );
  t.is(problems[0]?.line, lineOf('${STRIPE_SECRET_KEY}'));
});

test('no issue contains a secret', (t) => {
  const wrong = example
    .replaceAll('api_key', 'apikey')
    .replace('secret_key: ${STRIPE_SECRET_KEY}', 'secret_key: [${STRIPE_SECRET_KEY}]');
  const loaded = loadStoreFile(wrong, environment, strict);
  t.true('problems' in loaded && loaded.problems.length >= 4);
  t.false(JSON.stringify(loaded).includes('hush'));
});

test('any store file is either valid or reported with the place of each issue', (t) => {
  const document = parse(example.replaceAll(/\$\{([A-Z_]+)\}/g, '"$${$1}"'));
  const paths = [...placesOf(document)];
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
      const changed = structuredClone(document);
      const last = path.at(-1) ?? '';
      path.slice(0, -1).reduce((node, name) => node[name], changed)[last] = value;
      const loaded = loadStoreFile(JSON.stringify(changed, null, 1), environment, strict);
      t.true(
        'file' in loaded ||
          (loaded.problems.length > 0 && loaded.problems.every(({ line, detail }) => line >= 1 && detail !== '')),
      );
    }),
    { numRuns: 300 },
  );
});

/** The way to every field of a value. */
function* placesOf(value: unknown, path: string[] = []): Generator<string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    yield [...path, name];
    yield* placesOf(field, [...path, name]);
  }
}

test('a file that is not a store file is reported as such', (t) => {
  for (const text of ['', '[]', 'hello', '42', '- store']) t.true('problems' in loadStoreFile(text, {}, local), text);
  const loaded = loadStoreFile('store: {\n', {}, local);
  t.true('problems' in loaded && loaded.problems.length > 0);
});

test('a second document is reported at its line, as a file of its own', (t) => {
  t.like(readStoreFile('store: {}\n---\nstore: {}\n', {}).problems, {
    0: {
      line: 2,
      detail: 'begins another document: a file holds one store, so put what follows --- in a file of its own',
    },
    length: 1,
  });
});

test('readStoreFile resolves references in place of any value, also inside braces and brackets', (t) => {
  const text = 'a: ${ONE}\nb: { c: ${TWO}, d: [${ONE}, x] }\ne: "https://${ONE}/hooks"\nf: |\n  costs $${ONE}\n';
  const { value, problems } = readStoreFile(text, { ONE: '1', TWO: 'two: {[#' });
  t.deepEqual(problems, []);
  t.deepEqual(value, { a: '1', b: { c: 'two: {[#', d: ['1', 'x'] }, e: 'https://1/hooks', f: 'costs ${ONE}\n' });
});

test('readStoreFile reads JSON', (t) => {
  t.deepEqual(readStoreFile('{ "a": "${ONE}", "b": [1, null, true] }', { ONE: 'x' }).value, {
    a: 'x',
    b: [1, null, true],
  });
});

test('readStoreFile leaves times as text', (t) => {
  t.deepEqual(readStoreFile('name: Cafe\u0301', {}).value, { name: 'Caf\u00e9' });
  t.deepEqual(readStoreFile('at: 2026-01-05T00:00:00Z', {}).value, { at: '2026-01-05T00:00:00Z' });
});

test('readStoreFile reports every missing variable with its line', (t) => {
  const { problems, locate } = readStoreFile('a: 1\nb: { c: ${GONE} }\nd: ${EMPTY}\n', { EMPTY: '' });
  t.deepEqual(
    problems.map(({ line, column, detail }) => [line, column, detail]),
    [
      [2, 9, 'needs the variable GONE, which is not set'],
      [3, 4, 'needs the variable EMPTY, which is not set'],
    ],
  );
  t.is(locate({ path: '/b/c', detail: 'must not be empty' }), undefined, 'that is explained already');
});

test('readStoreFile ignores references in comments', (t) => {
  t.deepEqual(readStoreFile('# ${NOWHERE}\na: 1 # ${NEITHER}\n', {}).problems, []);
});

test('an issue has the line of its field, and a missing field that of its parent', (t) => {
  const text = 'store:\n  slug: x\nproducts:\n  - slug: a\n    variants:\n      - { sku: A, price_cents: free }\n';
  const { locate } = readStoreFile(text, {});
  const at = (path: string) => {
    const { line, column, field } = locate({ path, detail: '' }) ?? {};
    return [line, column, field];
  };
  t.deepEqual(at('/products/0/variants/0/price_cents'), [6, 19, 'products[0].variants[0].price_cents']);
  t.deepEqual(at('/products/0/name'), [4, 5, 'products[0].name']);
  t.deepEqual(at('/store/currency'), [1, 1, 'store.currency']);
  t.deepEqual(at('/modules'), [1, 1, 'modules']);
  t.deepEqual(at(''), [1, 1, '']);
});

test('a file that is not UTF-8 is reported with the first line and column that is not', (t) => {
  t.is(findDamage(Buffer.from('store:\n  name: Crème\n  slug: creme')), undefined);
  t.is(findDamage(Buffer.from('')), undefined);
  const detail = 'is not UTF-8: save the file in that encoding';
  const damaged = Buffer.from('a: Crème\nb: \xff', 'latin1');
  t.deepEqual(findDamage(damaged), { line: 1, column: 6, field: '', detail });
  const later = Buffer.concat([Buffer.from('a: Crème\n\n'), damaged]);
  t.deepEqual(findDamage(later), { line: 3, column: 6, field: '', detail });
  t.is(findDamage(Buffer.from('\ufeffstore:\n', 'utf16le'))?.line, 1);
});

test('an issue in an alias has the line of its anchor', (t) => {
  const { value, locate } = readStoreFile('a: &box { width: wide }\nb: *box\n', {});
  t.deepEqual(value, { a: { width: 'wide' }, b: { width: 'wide' } });
  t.is(locate({ path: '/b/width', detail: '' })?.line, 1);
});

test('a merge key copies what other maps of the file have, and the fields beside it come first', (t) => {
  const text =
    'a: &box { width: 1, height: 2 }\nb: &lid { depth: 3 }\nc: { <<: [*box, *lid], width: wide }\nd: { <<: *box }\n';
  const { value, locate } = readStoreFile(text, {});
  t.deepEqual(value, {
    a: { width: 1, height: 2 },
    b: { depth: 3 },
    c: { width: 'wide', height: 2, depth: 3 },
    d: { width: 1, height: 2 },
  });
  t.is(locate({ path: '/c/width', detail: '' })?.line, 3);
  t.is(locate({ path: '/d/width', detail: '' })?.line, 4, 'where it is merged');
});

test('readStoreFile reports an alias without an anchor, of what contains it, or of too much, with line and column', (t) => {
  const laughs = Array.from({ length: 9 }, (_, depth) =>
    depth === 0
      ? 'a0: &a0 [lol, lol]'
      : `a${depth}: &a${depth} [${Array(9)
          .fill(`*a${depth - 1}`)
          .join(', ')}]`,
  ).join('\n');
  const cases: readonly (readonly [text: string, line: number, column: number, detail: RegExp])[] = [
    ['store:\n  name: *Cedar\n', 2, 9, /^there is no anchor &Cedar before the alias \*Cedar/],
    ['store:\n  name: *Cedar\n  slug: &Cedar cedar\n', 2, 9, /^there is no anchor &Cedar before/],
    ['*Cedar : 1\n', 1, 1, /^there is no anchor &Cedar before/],
    ['a: &a [1]\nb: { <<: *a }\n', 2, 10, /^<< merges maps, by their aliases$/],
    ['a: &a { x: 1 }\nb: { <<: [*a, 7] }\n', 2, 15, /^<< merges maps, by their aliases$/],
    ['store: &all\n  - name\n  - part: *all\n', 3, 11, /^the alias \*all is inside of what it repeats$/],
    [laughs, 9, 50, /^an anchor may be repeated at most 100 times, counting the aliases inside of it$/],
  ];
  for (const [text, line, column, detail] of cases) {
    const { value, problems } = readStoreFile(text, {});
    t.is(value, undefined, text);
    t.deepEqual(
      problems.map((problem) => [problem.line, problem.column]),
      [[line, column]],
      text,
    );
    t.regex(problems[0]?.detail ?? '', detail);
  }
});

test('of a file with tabs readStoreFile reports each tab, and nothing that only follows from it', (t) => {
  const text = example.replace('  name: ', '\tname: ').replace('  currency: ', '\tcurrency: ');
  t.deepEqual(
    readStoreFile(text, environment).problems.map(({ line, detail }) => `${line} ${detail}`),
    ['  name: ', '  currency: '].map((words) => `${lineOf(words)} Tabs are not allowed as indentation`),
  );
});

test('readStoreFile reports broken syntax with its line, and references as they were written', (t) => {
  const { value, problems } = readStoreFile('a: 1\nb: [1, 2\nc: 3\n', {});
  t.is(value, undefined);
  t.true(problems.length > 0 && problems.every(({ line }) => line >= 2));
  t.is(
    readStoreFile('not a map\n$ nor this\na: { b: [1, 2] }\nc: [3, 4]\n', {}).problems.length,
    1,
    'not every token behind it',
  );
  const twice = readStoreFile('${A}: 1\n${A}: 2\n', {}).problems;
  t.is(twice[0]?.line, 2);
});

test('readStoreFile returns no value for an empty file', (t) => {
  const { value, locate } = readStoreFile('', {});
  t.is(value, null);
  t.deepEqual(locate({ path: '', detail: 'must be an object' }), {
    line: 1,
    column: 1,
    field: '',
    detail: 'must be an object',
  });
});

const resolve = (name: string) => `<${name}>`;

test('resolveReferences replaces a reference by its value and an escaped one by its text', (t) => {
  t.is(
    resolveReferences(hideReferences('a ${ONE}${TWO_2} $${THREE} $ {X} ${} ${4}'), resolve),
    'a <ONE><TWO_2> ${THREE} $ {X} ${} ${4}',
  );
});

test('resolveReferences does not resolve references inside values', (t) => {
  t.is(
    resolveReferences(hideReferences('${ONE}'), () => '${TWO}'),
    '${TWO}',
  );
});

test('hidden references have the same length on every line and can be restored', (t) => {
  const part = fc.constantFrom(
    '${A}',
    '$${B}',
    '$$${C}',
    '{ x: ${D_1} }',
    '\n',
    'plain',
    '$',
    '{',
    '}',
    '${',
    '${e f}',
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join('');
      const hidden = hideReferences(text);
      t.deepEqual(
        hidden.split('\n').map(({ length }) => length),
        text.split('\n').map(({ length }) => length),
      );
      t.is(showReferences(hidden), text);
    }),
  );
});
