import test from 'ava';
import fc from 'fast-check';

import { normaliseEmail } from '#src/lib/email-address.ts';
import {
  BooleanLike,
  Cents,
  CentsLike,
  closed,
  Email,
  IntegerLike,
  Name,
  Nullable,
  NumberLike,
  OmittableOrEmpty,
  ReadWith,
  Text,
  Timestamp,
  Type,
} from '#src/lib/schema.ts';
import { fits, issuesOf, issuesOfText } from '#src/lib/validation.ts';

const Line = Type.Object({
  slug: Type.String({ pattern: '^[a-z-]+$' }),
  quantity: IntegerLike({ minimum: 1, maximum: 999 }),
  kind: Type.Optional(Type.Union([Type.Literal('one_time'), Type.Literal('subscription')])),
  note: Type.Optional(Nullable(Type.String({ maxLength: 5 }))),
});
const Cart = Type.Object({ lines: Type.Array(Line, { minItems: 1 }) });

test('an integer may be sent as text and becomes a number', (t) => {
  const line = { slug: 'oak-bowl', quantity: '12' };
  t.deepEqual(issuesOf(Line, line), []);
  t.deepEqual(line as unknown, { slug: 'oak-bowl', quantity: 12 });
});

test('an integer has its bounds, whether sent as text or number', (t) => {
  for (const quantity of [
    '0',
    0,
    '1000',
    1000,
    '1.5',
    1.5,
    '-1',
    '',
    ' 1',
    '1e2',
    '0x10',
    'many',
    '9999999999999',
    true,
    null,
    [1],
    NaN,
  ]) {
    t.is(issuesOf(Line, { slug: 'a', quantity })[0]?.path, '/quantity', String(quantity));
  }
});

test('issuesOf describes the bounds of an integer', (t) => {
  t.deepEqual(issuesOf(Line, { slug: 'a', quantity: '1000' }), [
    { path: '/quantity', code: 'integerLike', detail: 'must be a whole number from 1 to 999' },
  ]);
});

test('issuesOf reports every issue with its path, and a missing field at its own', (t) => {
  const issues = issuesOf(Cart, { lines: [{ slug: 'OAK', quantity: 1 }, { quantity: 1 }] });
  t.deepEqual(
    issues.map(({ path, code }) => [path, code]),
    [
      ['/lines/0/slug', 'pattern'],
      ['/lines/1/slug', 'required'],
    ],
  );
});

test('issuesOf says that an empty text is empty, and describes a value that may come as text by its bounds', (t) => {
  const Body = Type.Object({
    q: Type.String({ pattern: '\\S', examples: ['oak bowl'] }),
    quantity: IntegerLike({ minimum: 1, maximum: 9 }),
    weight: NumberLike({ exclusiveMinimum: 0, maximum: 9 }),
    consent: BooleanLike(),
    total: CentsLike,
  });
  const describe = (value: object) => issuesOf(Body, value).map(({ path, detail }) => `${path.slice(1)} ${detail}`);
  const cents = 'total must be a whole number of minor units, such as cents: 1999 for 19.99';
  for (const wrong of [null, [], {}]) {
    t.deepEqual(describe({ q: ' ', quantity: wrong, weight: wrong, consent: wrong, total: '100.00' }), [
      'q must not be empty',
      'quantity must be a whole number from 1 to 9',
      'weight must be a number more than 0 and at most 9',
      'consent must be true or false',
      cents,
    ]);
  }
  const named = issuesOf(Type.Object({ name: Name(9) }), { name: '' });
  t.deepEqual(named, [{ path: '/name', code: 'minLength', detail: 'must not be empty' }]);
  const Charge = Type.Object({ amount_cents: Nullable(Cents), unitPriceCents: Cents });
  t.deepEqual(
    issuesOf(Charge, { amount_cents: '100.00', unitPriceCents: 19.99 }).map(({ detail }) => detail),
    Array.from({ length: 2 }, () => cents.slice('total '.length)),
  );
  const right = { q: 'a', quantity: '1', weight: 1, consent: 'true' };
  for (const total of [19.99, '19.99', '0.0', '100.00'])
    t.deepEqual(describe({ ...right, total }), [cents], String(total));
});

test('a text that is a timestamp is a moment that can be stored', (t) => {
  const accepted = (text: string) => issuesOf(Timestamp, text).length === 0;
  for (const text of ['2026-11-20T12:00:00Z', '2028-02-29t23:59:59.999999z', '1000-01-01T00:00:00+14:00'])
    t.true(accepted(text), text);
  for (const offset of ['+15:59', '-15:59']) t.true(accepted(`2026-11-20T12:00:00${offset}`), offset);
  for (const offset of ['+16:00', '-16:00', '+23:59']) t.false(accepted(`2026-11-20T12:00:00${offset}`), offset);
  const [dates, times, zones] = [
    ['2026-12-31', '2027-02-29', '0000-01-01', '2016-06-30', '2999-12-31', '1000-01-01', '2026-00-10', '9999-12-31'],
    ['23:59:60', '23:59:59.9999', '24:00:00', '18:59:60.5', '00:00:61', '12:00', '00:29:60'],
    ['Z', 'z', '', '-05:00', '+00:30', '+23:59', '+24:00', '-00:60', ' Z'],
  ];
  for (const date of dates)
    for (const time of times)
      for (const zone of zones)
        for (const between of ['T', 't', ' ']) {
          const text = date + between + time + zone;
          if (accepted(text)) t.false(Number.isNaN(new Date(text).getTime()), text);
        }
});

test('a text with the right format that a pattern narrows is described by what it exceeds', (t) => {
  const Body = Type.Object({ at: Timestamp, email: Email });
  const describe = (at: string, email: string) => issuesOf(Body, { at, email }).map(({ detail }) => detail);
  const years = 'must be in the years 1000 to 2999';
  for (const at of ['9999-12-31T23:59:59Z', '3000-01-01T00:00:00.000Z', '0999-12-31T23:59:59+00:00'])
    t.deepEqual(describe(at, 'ada@example.com'), [years], at);
  const long = `${'a'.repeat(65)}@example.com`;
  t.deepEqual(describe('2999-12-31T23:59:59Z', long), ['may have at most 64 characters before the @']);
});

test('the international domain of an email becomes punycode, and any other text is described as it is', (t) => {
  const Body = Type.Object({ email: Email });
  const read = (email: string) => {
    const body = { email };
    return issuesOf(Body, body)[0]?.detail ?? body.email;
  };
  const wrong = 'must be an email address';
  const long = 'ü'.repeat(62);
  for (const [email, expected] of [
    ['Kasse@Bücher.example', 'Kasse@xn--bcher-kva.example'],
    ['a@例え.jp', 'a@xn--r8jz45g.jp'],
    ['a@ex_ample.com', wrong],
    ['jörg@example.de', `${wrong} with only ASCII characters before the @`],
    ['jörg@bücher.example', `${wrong} with only ASCII characters before the @`],
    // A URL would end here, or have a port or a user.
    ...['/x.de', '?x.de', '#x.de', ':80', '%41.de', '\\x.de', '／x.de', '@x.de', ' x.de', '\ud800.de'].map(
      (end) => [`a@ü${end}`, wrong] as const,
    ),
    // As punycode it is longer.
    [`a@${`${long}.`.repeat(4)}de`, 'may have at most 254 characters'],
    [`a@${`${long}.`.repeat(3)}${'ä'.repeat(50)}.de`, wrong],
  ] as const)
    t.is(read(email), expected, email);
});

test('normaliseEmail gives every spelling of an address the same form, which stays as it is', (t) => {
  const label = fc.stringMatching(/^[a-zäöüßéñåøæłčж例え]{1,20}$/u);
  fc.assert(
    fc.property(fc.tuple(label, label), ([name, zone]) => {
      const email = normaliseEmail(`ada@${name}.${zone}`);
      t.regex(email, /^[\x21-\x7e]+$/);
      t.is(normaliseEmail(email), email);
      t.is(
        normaliseEmail(` ADA@${name.normalize('NFD').toUpperCase()}.${zone} `),
        normaliseEmail(`ada@${name.toUpperCase()}.${zone}`),
      );
      t.true(fits(Type.Object({ email: Email }), { email }));
    }),
  );
});

test('an email is read without the unseen characters around it that were copied with it', (t) => {
  for (const written of [
    '\u202aada@example.com\u202c',
    '\u200bada@example.com',
    ' ada@example.com\u200e',
    '\u2068ada@example.com\u2069',
    '\u202a ada@example.com\u00a0\u202c\n',
  ]) {
    const form = { email: written };
    t.true(fits(Type.Object({ email: Email }), form), JSON.stringify(written));
    t.is(form.email, 'ada@example.com');
    t.is(normaliseEmail(written), 'ada@example.com');
  }
  t.false(fits(Type.Object({ email: Email }), { email: 'a\u200bda@example.com' }));
});

test('a text that a form may leave empty is then omitted, and is otherwise validated', (t) => {
  const Form = Type.Object({ name: OmittableOrEmpty(Text(3)), email: OmittableOrEmpty(Email) });
  const read = (form: object) => [issuesOf(Form, form).map(({ path }) => path), form];
  t.deepEqual(read({ name: '', email: ' ' }), [[], { name: null, email: null }]);
  t.deepEqual(read({ name: 'Ada', email: ' ada@example.com' }), [[], { name: 'Ada', email: 'ada@example.com' }]);
  t.deepEqual(read({}), [[], {}]);
  t.deepEqual(read({ name: 'Grace', email: 'ada' })[0], ['/name', '/email']);
  t.deepEqual(read({ name: 0, email: [] })[0], ['/name', '/email']);
});

test('issuesOf describes each text once, a pattern by the example of the schema where it has one', (t) => {
  const Body = Type.Object({
    email: Email,
    slug: Type.String({ pattern: '^[a-z-]+$', examples: ['oak-bowl'] }),
    name: Type.String({ minLength: 1, maxLength: 3 }),
    count: Type.Integer({ minimum: 1, maximum: 9 }),
    at: Timestamp,
    lines: Type.Array(Type.Integer(), { minItems: 1, maxItems: 2 }),
    weight: Type.Number({ exclusiveMinimum: 0 }),
    is: Type.Boolean(),
  });
  const issuesIn = (value: object) => issuesOf(Body, value).map(({ path, detail }) => `${path.slice(1)} ${detail}`);
  t.deepEqual(
    issuesIn({ email: 'ada', slug: 'OAK', name: '', count: 0, at: 'noon', lines: [], weight: 0, is: 'yes' }),
    [
      'email must be an email address',
      'slug must be written like oak-bowl',
      'name must not be empty',
      'count must be at least 1',
      'at must be a time such as 2026-11-20T12:00:00Z',
      'lines must have at least one item',
      'weight must be more than 0',
      'is must be true or false',
    ],
  );
  t.deepEqual(
    issuesIn({
      email: 1,
      slug: 'a',
      name: 'Grace',
      count: 1.5,
      at: '2026-11-20T12:00:00Z',
      lines: [1, 2, 3],
      weight: '1',
      is: true,
    }),
    [
      'email must be text',
      'name may have at most 3 characters',
      'count must be a whole number',
      'lines must have at most 2 items',
      'weight must be a number',
    ],
  );
});

test('the length of a text is counted in characters: a surrogate pair is one, half of one is one too', (t) => {
  for (const bound of [0, 1, 2, 3]) {
    const isAtMost = (text: string) => fits(Type.String({ maxLength: bound }), text);
    const isAtLeast = (text: string) => fits(Type.String({ minLength: bound }), text);
    for (const character of ['a', '😀', '\ud83d', '\ude00'])
      for (const characters of [0, 1, 2, 3, 4, 1000]) {
        const text = character.repeat(characters);
        t.is(isAtMost(text), characters <= bound, `${bound} ${text.slice(0, 8)}`);
        t.is(isAtLeast(text), characters >= bound, `${bound} ${text.slice(0, 8)}`);
      }
    t.is(isAtMost('a😀'), bound >= 2);
    t.is(isAtLeast('😀a'), bound <= 2);
  }
  t.deepEqual(issuesOf(Type.String({ minLength: 2, maxLength: 1 }), '😀'.repeat(9)), [
    { path: '', code: 'maxLength', detail: 'may have at most 1 characters' },
  ]);
});

test('issuesOf lists the allowed values of an enum', (t) => {
  const [issue, ...others] = issuesOf(Line, { slug: 'a', quantity: 1, kind: 'rental' });
  t.deepEqual(issue, { path: '/kind', code: 'const', detail: 'must be one of one_time, subscription' });
  t.deepEqual(others, []);
  const many = Array.from({ length: 40 }, (_, index) => `value_${index}`);
  t.is(issuesOf(Type.Enum(many), 'value')[0]?.detail, `must be one of ${many.join(', ')}`);
});

test('issuesOf describes what a nullable field accepts', (t) => {
  t.true(fits(Line, { slug: 'a', quantity: 1, note: null }));
  for (const [note, detail] of [
    ['too long', 'may have at most 5 characters'],
    [7, 'must be text'],
  ] as const) {
    t.deepEqual(
      issuesOf(Line, { slug: 'a', quantity: 1, note }).map((issue) => issue.detail),
      [detail],
    );
  }
  const Hours = Type.Object({ quiet: Type.Union([Type.Array(Type.String({ maxLength: 5 })), Type.Null()]) });
  t.deepEqual(
    issuesOf(Hours, { quiet: ['21:00', '08:00:00'] }).map(({ path }) => path),
    ['/quiet/1'],
    'and nothing of the whole',
  );
});

test('unknown fields of a request are ignored, and those of a file are rejected at every depth', (t) => {
  const value = { lines: [{ slug: 'a', quantity: 1, quantitty: 2, 'a/b': 1 }], colour: 'red' };
  t.deepEqual(issuesOf(Cart, value), []);
  t.deepEqual(
    issuesOf(closed(Cart), value).map(({ path, detail }) => `${path} ${detail}`),
    [
      '/colour is not known here',
      '/lines/0/quantitty is not known here; did you mean quantity?',
      '/lines/0/a~1b is not known here',
    ],
  );
  t.deepEqual(issuesOf(Cart, value), [], 'the schema itself stays open');
});

test('closing an intersection closes the whole and not its parts', (t) => {
  const Both = closed(Type.Intersect([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Number() })]));
  t.deepEqual(issuesOf(Both, { a: 1, b: 2 }), []);
  t.deepEqual(
    issuesOf(Both, { a: 1, b: 2, c: 3 }).map(({ path }) => path),
    ['/c'],
  );
});

test('free JSON accepts any field when the schema around it is closed', (t) => {
  const Theme = closed(Type.Object({ theme: Type.Record(Type.String(), Type.Unknown()) }));
  t.deepEqual(issuesOf(Theme, { theme: { anything: { goes: 1 } } }), []);
});

test('issuesOf describes at most twenty issues, or up to the given maximum', (t) => {
  const value = { lines: Array.from({ length: 30 }, () => ({ quantity: 1 })) };
  t.is(issuesOf(Cart, value).length, 20);
  t.is(issuesOf(Cart, value, { max: 100 }).length, 30);
});

test('text of queries and paths is converted to the type of the schema', (t) => {
  const query: Record<string, unknown> = { limit: '20', flag: 'true' };
  t.deepEqual(issuesOfText(Type.Object({ limit: Type.Integer({ maximum: 100 }), flag: Type.Boolean() }), query), []);
  t.deepEqual(query, { limit: 20, flag: true });
  t.is(issuesOfText(Type.Object({ limit: Type.Integer() }), { limit: 'many' })[0]?.code, 'type');
});

test('issuesOf never repeats a value, which may be a secret', (t) => {
  const Account = closed(
    Type.Object({ key: Type.String({ pattern: '^sk_' }), mode: Type.Union([Type.Literal('a'), Type.Literal('b')]) }),
  );
  t.false(JSON.stringify(issuesOf(Account, { key: 'rk_hush', mode: 'hush', n: 'hush' })).includes('hush'));
});

test('text is a number in decimal digits only, whatever the bounds', (t) => {
  const Limit = Type.Object({ limit: Type.Integer({ minimum: -100, maximum: 100 }) });
  for (const limit of ['0x50', '0X1', '0b11', '0o7', '1e1', '100E-1', 'Infinity', '1e309', '-1e309', '9'.repeat(400)])
    t.true(
      issuesOfText(Limit, { limit }).some(({ path, code }) => path === '/limit' && code === 'type'),
      limit,
    );
  for (const limit of ['7', '-7', '+7', '07', '7.0', ' 7']) t.deepEqual(issuesOfText(Limit, { limit }), [], limit);
});

test('issuesOf names the fields of which exactly one is required, in one issue', (t) => {
  const schema = Type.Object(
    { percent: Type.Optional(Type.Number()), cents: Type.Optional(Type.Integer()) },
    { oneOf: [{ required: ['percent'] }, { required: ['cents'] }] },
  );
  for (const value of [{}, { percent: 1, cents: 1 }]) {
    t.deepEqual(issuesOf(schema, value), [
      { path: '', code: 'oneOf', detail: 'must have exactly one of percent, cents' },
    ]);
  }
});

test('a field that is not read beside the others counts as omitted, whatever it is', (t) => {
  const Change = Type.Object({
    action: Type.String(),
    at_once: ReadWith({ action: 'cancel' }, BooleanLike()),
    address: ReadWith({ action: 'move' }, Type.Object({ zip: Text(5) })),
  });
  const change = { action: 'pause', at_once: 'none', address: { zip: 7 } };
  t.deepEqual(issuesOf(Change, change), []);
  t.deepEqual(change as unknown, { action: 'pause', at_once: null, address: null });
  const cancel = { action: 'cancel', at_once: 'true', address: 'none' };
  t.deepEqual(issuesOf(Change, cancel), []);
  t.deepEqual(cancel as unknown, { action: 'cancel', at_once: true, address: null });
  const places = (value: object) => issuesOf(Change, value).map(({ path }) => path);
  t.deepEqual(places({ action: 'cancel', at_once: 'none' }), ['/at_once']);
  t.deepEqual(places({ action: 'move', address: { zip: 7 } }), ['/address/zip']);
});
