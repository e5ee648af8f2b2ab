import test from 'ava';

import type { OpenApiDocument } from '#src/api/openapi/document.ts';
import { currentDocument, readAccepted, readChangelog } from './accepted-document.ts';
import { changesBetween, unannounced } from './changes.ts';

test('the API document is the accepted version, and CHANGELOG.md names what breaks clients', (t) => {
  const [accepted, current] = [readAccepted(), currentDocument()];
  if (JSON.stringify(accepted) === JSON.stringify(current)) return t.pass();
  const changes = changesBetween(accepted, current);
  const silent = unannounced(changes, readChangelog()).map(({ name, text }) => `${name}: ${text}`);
  return t.fail(
    [
      'The API has changed. `npm run api-changes` says how, and accepts it with `-- --accept`.',
      ...(silent.length > 0 ? ['Breaking, and not in CHANGELOG.md:', ...silent] : []),
    ].join('\n'),
  );
});

const order = (fields: object, required: readonly string[] = Object.keys(fields)) => ({
  type: 'object',
  properties: fields,
  required,
});
const json = (schema: object) => ({ 'application/json': { schema } });
const text = { type: 'string' };

/** A small API: one operation and one event. */
function version(change: {
  scopes?: readonly string[];
  sent?: object;
  received?: object;
  event?: object;
  id?: string;
  withoutRead?: true;
  failures?: object;
}) {
  const scopes = change.scopes ?? ['orders:read', 'orders:write'];
  const security = [{ key: scopes.slice(0, 1) }];
  const read = {
    operationId: 'getOrder',
    summary: 'Read.',
    security,
    'x-scopes': scopes,
    responses: { 200: { description: 'OK' } },
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'An API', version: '1.0.0', description: 'A small one.' },
    servers: [{ url: 'https://api.example.com' }],
    paths: {
      '/orders': {
        ...(!change.withoutRead && { get: read }),
        post: {
          operationId: change.id ?? 'createOrder',
          summary: 'Create.',
          requestBody: { required: true, content: json(change.sent ?? order({ slug: text })) },
          responses: {
            201: { description: 'Created', content: json({ $ref: '#/components/schemas/Order' }) },
            ...change.failures,
          },
        },
      },
    },
    webhooks: {
      'order.paid': {
        post: {
          operationId: 'onOrderPaid',
          summary: 'Paid.',
          requestBody: { required: true, content: json(change.event ?? order({ number: text })) },
          responses: {},
        },
      },
    },
    components: { schemas: { Order: change.received ?? order({ number: text }) } },
  };
  return document as unknown as OpenApiDocument;
}

const breaking = (change: Parameters<typeof version>[0]) =>
  changesBetween(version({}), version(change)).flatMap(({ name, isBreaking }) => (isBreaking ? [name] : []));

test('changesBetween finds no break where `default` describes an error instead of its status', (t) => {
  const failure = { description: 'An error' };
  const removed = (failures: object) =>
    changesBetween(version({ failures: { 500: failure } }), version({ failures })).some(({ isBreaking }) => isBreaking);
  t.true(removed({}));
  t.false(removed({ default: failure }));
});

test('changesBetween finds none between equal versions on different servers', (t) => {
  const moved = { ...version({}), servers: [{ url: 'https://elsewhere.example.com' }] };
  t.deepEqual(changesBetween(version({}), moved), []);
});

for (const [what, change, names] of [
  ['an operation that is gone', { withoutRead: true }, ['getOrder']],
  ['a scope that is no longer sufficient', { scopes: ['orders:write'] }, ['getOrder']],
  ['another operation id', { id: 'placeOrder' }, ['createOrder']],
  ['a field that a request must now have', { sent: order({ slug: text, note: text }) }, ['createOrder']],
  ['a field that a response no longer has', { received: order({}) }, ['createOrder']],
  ['another type of a field of a response', { received: order({ number: { type: 'integer' } }) }, ['createOrder']],
  ['a field that an event no longer has', { event: order({}) }, ['order.paid']],
] as const) {
  test(`changesBetween calls ${what} breaking`, (t) => {
    t.deepEqual([...new Set(breaking(change))], [...names]);
  });
}

for (const [what, change] of [
  ['another scope that is sufficient', { scopes: ['order:read', 'orders:read', 'orders:write'] }],
  ['a field that a request may have', { sent: order({ slug: text, note: text }, ['slug']) }],
  ['a new field of a response', { received: order({ number: text, note: text }) }],
  ['a new field of an event', { event: order({ number: text, note: text }) }],
] as const) {
  test(`changesBetween finds ${what} and does not call it breaking`, (t) => {
    const changes = changesBetween(version({}), version(change));
    t.true(changes.length > 0);
    t.deepEqual(
      changes.filter(({ isBreaking }) => isBreaking),
      [],
    );
  });
}

const changelog = (unreleased: string) =>
  `# Changelog\n\n## [Unreleased]\n\n${unreleased}\n## [1.0.0]\n\n### Removed\n\n- \`getOrder\`.\n`;

test('unannounced leaves out what the changelog names among changes of the next release', (t) => {
  const changes = changesBetween(version({}), version({ withoutRead: true }));
  const silent = (text: string) => unannounced(changes, changelog(text)).map(({ name }) => name);
  t.deepEqual(silent('### Removed\n\n- The operation `getOrder`.\n'), []);
  t.deepEqual(silent('### Added\n\n- The operation `getOrder`.\n'), ['getOrder']);
  t.deepEqual(silent('### Removed\n\n- The operation `getOrders`.\n'), ['getOrder']);
});
