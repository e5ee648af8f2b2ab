import anyTest, { type TestFn } from 'ava';

import type { Route } from '#src/api/lib/define-route.ts';
import { asPlatform, read } from '#src/database/transact.ts';
import { joinSql, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';
import { kinds, nameOf, send } from '#test/support/every-route.ts';
import { doubleStores } from '#test/support/multiply-store.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';
import { laterOperations } from './later-operations.ts';
import { names, prepare, type Run } from './operations.ts';
import { tablesOf } from './read-rows.ts';
import * as the from './shared-store.ts';
import { ports, SharedStore } from './shared-store.ts';

/*
 * An operation changes only what it names, and a request for one thing shows nothing of others. Each operation is
 * prepared in a store of its own, in which every row is then copied, so that beside its order, its label, its endpoint
 * and so on there is another one in the same state. The operations are done, and the jobs that they cause; after that
 * the copies are as they were. So a statement that lacks the id of what it changes is noticed.
 *
 * For requests the rows are copied once the operations are done: each gets the same response before and after.
 */
const test = anyTest as TestFn<ApiContext>;
useApi(test, { isRecorded: false, ports });

/** A store has one of each; and a copied job would do what its original does. */
const single = new Set([
  'order_numbers',
  'outbox',
  'payment_accounts',
  'payment_webhook_secrets',
  'reminder_settings',
  'return_counters',
  'second_shipping_accounts',
  'shipping_accounts',
]);

/** What a copy has in common with its original: two orders may hold the same stock, promo code and gift card. */
const shared = new Set([
  'gift_card_redemptions.gift_card_id',
  'gift_card_returns.gift_card_id',
  'holds.subject_id',
  'promo_redemptions.promo_id',
  'staff_recovery_codes.code_hash',
]);

const operations = { ...Object.fromEntries(names.map((name) => [name, prepare])), ...laterOperations };
/** A store file removes what it does not name. */
const tried = Object.entries(operations).filter(([name]) => !name.startsWith('a store file'));

/** Of a job: some stores have a key that is rejected, and an address without a street. */
const isExpected = /: done$|: cancel \(ORD-\d+: (provider_auth|missing_address)\./;

// However long it takes: what becomes due later is not done meanwhile.
test.serial('an operation and its jobs change only what the operation names', (t) =>
  t.context.clock.standStill(async () => {
    const { services } = t.context;
    const runs = new Map<string, { name: string; run: Run }>();
    for (const [name, prepare] of tried) {
      const store = await SharedStore.create(services);
      runs.set(store.ctx.tenant.id, { name, run: await prepare(t.context, store, { name }) });
    }
    const before = await readStores(services);
    await doubleStores(services.config.databaseUrl, [...runs.keys()], { shared, single });
    t.context.clock.pass(1000);
    const bystanders = [...(await readStores(services))].filter(([text]) => !before.has(text)).map(([, row]) => row);
    const copied = tablesIn(bystanders);
    t.deepEqual(
      [...tablesIn(before.values())].filter((table) => !copied.has(table)),
      [...single],
    );

    const failed: string[] = [];
    for (const { name, run } of runs.values()) {
      const result = await run().catch(String);
      if (!/^(2\d\d|done|erased)/.test(result)) failed.push(`${name}: ${result}`);
    }
    failed.push(...(await runJobs(services)).filter((outcome) => !isExpected.test(outcome)));
    const after = await readStores(services);
    const changed = bystanders
      .filter((row) => !after.has(JSON.stringify(row)))
      .map(({ table, row }) => {
        const now = [...after.values()].find((other) => other.table === table && other.row['id'] === row['id']);
        const name = runs.get(String(row['tenant_id']))?.name;
        return `${name}: ${table} ${JSON.stringify(row)}, now ${JSON.stringify(now?.row)}`;
      });
    t.deepEqual({ failed, changed }, { failed: [], changed: [] });
  }),
);

/** The parameters of the routes whose paths match, for each thing of a store. */
const things: readonly (readonly [RegExp, Sql])[] = [
  [/\/bulk-changes\//, sql`select id from bulk_operations where type = 'bulk_change'`],
  [/\/exports\//, sql`select id from bulk_operations where type = 'export'`],
  [/\/imports\//, sql`select id from bulk_operations where type = 'import'`],
  [/\/cart\//, sql`select id from carts`],
  [/\/content\/:type\/:slug/, sql`select type, slug from entries`],
  [/\/customers\//, sql`select id from customers`],
  [/\/erasures\//, sql`select id from erasures`],
  [/\/integrations\/:id/, sql`select id from integration_connections`],
  [/\/labels\//, sql`select id from labels`],
  [/\/orders\/:|\/checkout\//, sql`select id, id as "orderId" from orders`],
  [/\/partners\//, sql`select code from partners`],
  [/\/(products|inventory)\//, sql`select slug from products where removed_at is null`],
  [/\/subscriptions\//, sql`select id from subscriptions`],
  [/\/webhook-deliveries\//, sql`select id from webhook_deliveries`],
  [/\/webhook-endpoints\//, sql`select id from webhook_endpoints`],
];

const thingsOf = ({ path }: Route): Sql | undefined => things.find(([pattern]) => pattern.test(path))?.[1];
/** They say what one thing is, or what is known of the customer who asks. */
const readers = kinds('public', 'dual', 'bearer', 'session').filter(
  ({ method, path, audience }) =>
    method === 'get' &&
    (audience.kind === 'session' || /:(id|orderId|slug|code)\b/.test(path)) &&
    // The shipping provider names them anew each time.
    !path.endsWith('/rates'),
);

test.serial('a request for one thing, or by a customer, shows nothing of others', (t) =>
  t.context.clock.standStill(async () => {
    const { services, api } = t.context;
    t.deepEqual(readers.filter((route) => !thingsOf(route) && route.audience.kind !== 'session').map(nameOf), []);
    const requests: { name: string; request: () => Promise<string> }[] = [];
    const stores: string[] = [];
    for (const [name, prepare] of Object.entries(laterOperations)) {
      const store = await SharedStore.create(services);
      const { tenant } = store.ctx;
      await (await prepare(t.context, store, { name }))();
      await runJobs(services);
      const { token: session } = await store.the(the.session);
      const caller = { ...t.context, tenant, key: store.callersKey, session, staff: { cookie: '', origin: api.url } };
      for (const route of readers) {
        for (const params of await read<Record<string, string>>(store.ctx, thingsOf(route) ?? sql`select`)) {
          const key = route.audience.kind === 'dual' && { key: store.callersKey };
          const request = async () => {
            const { status, body, headers } = await send(caller, route, { params, ...key });
            return JSON.stringify([status, { ...body, request_id: '' }, headers.get('location')]);
          };
          requests.push({ name: `${name}: ${nameOf(route)} ${Object.values(params)}`, request });
        }
      }
      stores.push(tenant.id);
    }
    const responses = async () => {
      const found = new Map<string, string>();
      for (const { name, request } of requests) found.set(name, await request());
      return found;
    };
    const before = await responses();
    await doubleStores(services.config.databaseUrl, stores, { shared, single });
    const after = await responses();
    t.deepEqual(
      [...after].filter(([name, response]) => before.get(name) !== response),
      [],
    );
    t.true([...after.values()].filter((response) => response.startsWith('[200')).length > 200, `${after.size}`);
  }),
);

const tablesIn = (rows: Iterable<Row>) => new Set([...rows].map(({ table }) => table));

interface Row {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Every row of every store, by itself as text. */
async function readStores(services: Services): Promise<Map<string, Row>> {
  const selects = (await tablesOf(services)).map(
    (table) => sql`select ${table} as "table", to_jsonb(t) as row from ${rawSql(table)} t`,
  );
  const rows = await asPlatform(services.context(), 'a test', ({ tx }) =>
    tx.execute<Row>(joinSql(selects, ' union all ')),
  );
  return new Map(rows.map((row) => [JSON.stringify(row), row]));
}
