import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, createServer } from 'node:net';

import anyTest, { type TestFn } from 'ava';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { purchaseLabel } from '#jobs/labels.ts';
import { queueNames, queuePrefix } from '#jobs/queues.ts';
import type { Finding } from '#src/cli/doctor/finding.ts';
import { transact } from '#src/database/transact.ts';
import { type Embedded, startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import type { Context } from '#src/domain/context.ts';
import { replaceWebhookSecret } from '#src/domain/payments/accounts/save-account.ts';
import { registerWebhookEndpoint, savePaymentAccount, taxIsPending } from '#src/domain/payments/index.ts';
import { saveSecondShippingAccount } from '#src/domain/shipping/index.ts';
import { closeStore } from '#src/domain/tenants/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { handledEventTypes } from '#src/providers/stripe/events.ts';
import type { Services } from '#src/services.ts';
import { callCli } from '#test/support/cli.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { fillOutbox } from '#test/support/fill-outbox.ts';
import { only } from '#test/support/only.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { reportProcess } from '#test/support/report-process.ts';
import { buildTenant } from '#test/support/tenant.ts';

/* Nothing here is faked but time and age: real servers that are away, wrong, or set up wrongly. */
let stripeAheadMs = 0;
const [stripe, shippo, mailbox] = await Promise.all([
  startStripeSimulator({ now: () => Date.now() + stripeAheadMs, seed: 3 }),
  startShippoSimulator(),
  startMailbox(),
]);
const { DATABASE_URL: _another, ...environment } = testEnvironment({
  REDIS_URL: (await createTestRedis()).url,
  STRIPE_API_BASE: stripe.url,
  SHIPPO_API_BASE: shippo.url,
  SMTP_URL: mailbox.smtpUrl,
  PUBLIC_URL: 'http://127.0.0.1:4999',
});
const test = anyTest as TestFn<TestContext>;
useContext(test, { environment });

let own: Embedded;
let worker: Services;
test.before(async () => {
  own = await startEmbedded();
  worker = await reportProcess('worker', { ...environment, DATABASE_URL: own.databaseUrl });
});
test.after.always(async () => {
  await Promise.all([own?.stop(), worker?.close(), stripe.close(), shippo.close(), mailbox.close()]);
});

interface Diagnosis {
  readonly code: number | null;
  readonly findings: readonly Finding[];
  /** What is not well, as `about: sentence`. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

async function diagnose(
  { services }: TestContext,
  given: Record<string, string> = {},
  words: string[] = [],
): Promise<Diagnosis> {
  const { code, out, err } = await callCli(['doctor', '--json', ...words], {
    ...environment,
    DATABASE_URL: services.config.databaseUrl,
    ...given,
  });
  if (!out.includes('findings')) throw new Error(`${out}${err}`);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  const said = (level: Finding['level']) =>
    findings.filter((finding) => finding.level === level).map(({ about, message }) => `${about}: ${message}`);
  return { code, findings, faults: said('fault'), warnings: said('warning') };
}

/** The problems of one store with their remedies, as doctor prints them. */
async function storeFaults(context: TestContext, ctx: Context, given: Record<string, string> = {}) {
  const { findings } = await diagnose(context, given, ['--store', ctx.tenant.slug]);
  const inStore = findings.filter(({ store }) => store === ctx.tenant.slug);
  return inStore
    .filter(({ level }) => level !== 'ok')
    .map(({ about, level, message, advice }) => ({ about, level, message, advice: advice ?? '' }));
}

async function newStore({ services, ctx }: TestContext): Promise<Context> {
  return { ...ctx, tenant: await buildTenant(services) };
}

/** A store with which all is well. */
async function healthyStore(context: TestContext): Promise<Context> {
  const ctx = await newStore(context);
  await buildPaymentAccount(ctx);
  await registerWebhookEndpoint(ctx);
  await buildShippingAccount(ctx, { api_key: `shippo_test_${randomText(20)}` });
  return ctx;
}

test.serial('doctor reports every check of a healthy store and ends with 0', async (t) => {
  const ctx = await healthyStore(t.context);
  const { code, findings, faults, warnings } = await diagnose(t.context, {}, ['--store', ctx.tenant.slug]);
  t.deepEqual([code, faults], [0, []]);
  t.deepEqual(warnings, ['redis persistence: It loses its data when it restarts.']);
  const areas = [
    'database',
    'database role',
    'database clock',
    'schema',
    'redis',
    'redis policy',
    'mail server',
    'workers',
    'encryption keys',
    'key pepper',
    'stripe',
    'stripe clock',
    'stripe webhook',
    'shippo',
  ];
  t.deepEqual(
    areas.filter((about) => !findings.some((finding) => finding.about === about && finding.level === 'ok')),
    [],
  );

  const people = await callCli(['doctor', '--store', ctx.tenant.slug], {
    ...environment,
    DATABASE_URL: t.context.services.config.databaseUrl,
  });
  t.regex(people.out, /\nok +\S+ +stripe +Stripe accepts the secret key\.\n/);
  t.regex(people.out, /\nwarning +redis persistence +It loses its data[^\n]+\n +→ No job is lost by that[^\n]+\n/);
  t.regex(people.out, /\nNo fault, 1 warning\.\n$/);
  t.regex(people.err, /^Checking the database\.$/m);
});

test.serial('doctor --problems leaves out what is well, and ends with the same code', async (t) => {
  const ctx = await healthyStore(t.context);
  const call = (...words: string[]) =>
    callCli(['doctor', '--store', ctx.tenant.slug, '--problems', ...words], {
      ...environment,
      DATABASE_URL: t.context.services.config.databaseUrl,
    });
  const { code, out } = await call();
  t.is(code, 0);
  t.regex(
    out,
    /^warning +redis persistence +It loses its data[^\n]+\n +→ No job is lost[^\n]+\n\nNo fault, 1 warning\.\n$/,
  );
  const { ok, findings } = JSON.parse((await call('--json')).out);
  t.deepEqual([ok, findings.map(({ level }: Finding) => level)], [true, ['warning']]);

  const bare = await newStore(t.context);
  await buildPaymentAccount(bare, { webhook_secret: null });
  t.teardown(() => transact(bare, closeStore));
  const wrong = await diagnose(t.context, {}, ['--store', bare.tenant.slug, '--problems']);
  t.deepEqual([wrong.code, wrong.findings.some(({ level }) => level === 'ok')], [1, false]);
});

/** A Stripe that accepts no key, and responds to none before it has been called with this many at the same time. */
async function startCrowdedStripe(keys: number) {
  const calls = { atOnce: 0, most: 0, mostOfAKey: 0 };
  const waiting = new Map<string, Set<http.ServerResponse>>();
  let isCrowded = false;
  const respondToAll = () => {
    for (const responses of waiting.values())
      for (const response of responses) {
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"type":"any"}}');
        calls.atOnce -= 1;
      }
    waiting.clear();
  };
  const server = http
    .createServer((request, response) => {
      const key = request.headers.authorization ?? '';
      const ofKey = waiting.get(key) ?? new Set();
      waiting.set(key, ofKey.add(response));
      calls.atOnce += 1;
      calls.most = Math.max(calls.most, calls.atOnce);
      calls.mostOfAKey = Math.max(calls.mostOfAKey, ofKey.size);
      isCrowded ||= waiting.size >= keys;
      // It takes its time, so that what more is called at once is seen.
      if (isCrowded) setTimeout(respondToAll, 50);
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls, close: () => server.close() };
}

test.serial('doctor checks eight stores at once, and those that share an account one after the other', async (t) => {
  const crowded = await startCrowdedStripe(7);
  t.teardown(() => crowded.close());
  // Before all other stores of this file, so that the first eight have seven keys.
  const slugs = Array.from({ length: 12 }, (_, index) => `a-${String(index).padStart(2, '0')}-${randomText(6)}`);
  const shared = `sk_test_${randomText(24)}`;
  for (const slug of slugs) {
    const ctx = { ...t.context.ctx, tenant: await buildTenant(t.context.services, { slug }) };
    await buildPaymentAccount(ctx, slugs.indexOf(slug) < 2 ? { secret_key: shared } : {});
    t.teardown(() => transact(ctx, closeStore));
  }
  const { code, findings } = await diagnose(t.context, { STRIPE_API_BASE: crowded.url });
  t.is(code, 1);
  const ofStores = findings.filter(({ store = '' }) => slugs.includes(store));
  t.deepEqual(
    ofStores.map(({ store, about, message }) => [store, about, message]),
    slugs.flatMap((slug) => [
      [slug, 'stripe', 'Stripe does not accept the secret key.'],
      [slug, 'shippo', 'The store has no shipping account, so it purchases no labels.'],
    ]),
    'in the order of the stores',
  );
  t.true(crowded.calls.most <= 8, `${crowded.calls.most} at once`);
  t.is(crowded.calls.mostOfAKey, 1);
});

test.serial('doctor rejects an unknown store', async (t) => {
  const { code, err } = await callCli(['doctor', '--store', 'nobody'], {
    ...environment,
    DATABASE_URL: t.context.services.config.databaseUrl,
  });
  t.is(code, 1);
  t.regex(err, /There is no store with the slug "nobody"\.\n$/);
});

test.serial(
  "doctor reports a database without this release's schema, whose role bypasses row-level security",
  async (t) => {
    const empty = await diagnose(t.context, { DATABASE_URL: own.databaseUrl });
    t.is(empty.code, 1);
    t.regex(empty.faults.join(), /^schema: Pending migrations: 0001-outbox, /);
    t.is(empty.findings.find(({ about }) => about === 'schema')?.advice, 'npm run cli -- migrate');

    const above = await diagnose(t.context, { DATABASE_URL: own.databaseAdminUrl });
    t.regex(above.faults.join('\n'), /^database role: "\S+" bypasses row-level security/m);
    t.regex(above.findings.find(({ about }) => about === 'database role')?.advice ?? '', /nosuperuser nobypassrls/);
  },
);

const alterDatabase = (change: string) =>
  `do $$ begin execute format('alter database %I ${change}', current_database()); end $$`;

test.serial(
  'doctor reports a database whose clock is wrong, that is too old, or that has a table without row-level security',
  async (t) => {
    const { databaseUrl } = t.context.services.config;
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    // A PostgreSQL that reports another time and another version than it has.
    await client.query(`
    create table wide_open (tenant_id text);
    create schema skewed;
    create function skewed.clock_timestamp() returns timestamptz language sql
      as $$ select pg_catalog.clock_timestamp() + interval '90 s' $$;
    create function skewed.current_setting(name text) returns text language sql
      as $$ select case name when 'server_version_num' then '140009' else pg_catalog.current_setting(name) end $$;
    ${alterDatabase('set search_path = skewed, pg_catalog, public')}`);
    try {
      const { code, faults } = await diagnose(t.context);
      t.is(code, 1);
      t.deepEqual(
        faults.filter((line) => /^(database|row)/.test(line)),
        [
          'database: PostgreSQL 14 is too old.',
          'database clock: The clocks of this machine and PostgreSQL differ by 90 seconds.',
          "row-level security: It is not forced on wide_open: one store could see another's rows.",
        ],
      );
    } finally {
      await client.query(`${alterDatabase('reset search_path')}; drop schema skewed cascade; drop table wide_open`);
      await client.end();
    }
  },
);

test.serial('doctor reports a search_path that chooses another schema than that of the tables', async (t) => {
  const { databaseUrl } = t.context.services.config;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('create schema shop');
  const diagnoseIn = (searchPath: string) => {
    const url = new URL(databaseUrl);
    url.searchParams.set('options', `-c search_path=${searchPath}`);
    return diagnose(t.context, { DATABASE_URL: url.href });
  };
  const expected = 'schema: The search_path chooses "shop", and the tables are in "public".';
  try {
    t.true((await diagnoseIn('shop')).faults.includes(expected));
    const { faults, warnings } = await diagnoseIn('shop,public');
    t.deepEqual([faults, warnings.includes(expected)], [[], true], 'the tables are found');
  } finally {
    await client.query('drop schema shop');
    await client.end();
  }
});

test.serial('doctor reports a database that responds and has no disk space left', async (t) => {
  const client = new pg.Client({ connectionString: t.context.services.config.databaseUrl });
  await client.connect();
  await client.query(`
    create schema full_disk;
    create function full_disk.md5(text) returns text language plpgsql
      as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    ${alterDatabase('set search_path = full_disk, pg_catalog, public')}`);
  try {
    const { code, faults } = await diagnose(t.context);
    t.is(code, 1);
    t.true(faults.includes('database: PostgreSQL has no disk space left: could not extend file.'));
  } finally {
    await client.query(`${alterDatabase('reset search_path')}; drop schema full_disk cascade`);
    await client.end();
  }
});

test.serial('doctor reports a role that may not read the tables, and what is wrong besides', async (t) => {
  const client = new pg.Client({ connectionString: own.databaseAdminUrl });
  await client.connect();
  await client.query(`create role stranger login password 'stranger'; create schema strange authorization stranger`);
  await client.query(`create table strange.migrations (name text); alter role stranger set search_path = strange`);
  const url = new URL(own.databaseUrl);
  [url.username, url.password] = ['stranger', 'stranger'];
  try {
    const { code, faults } = await diagnose(t.context, { DATABASE_URL: url.href, REDIS_URL: 'redis://127.0.0.1:1' });
    t.is(code, 1);
    t.deepEqual(
      faults.map((line) => line.replace(/ respond: .*/, ' respond')),
      [
        'database: PostgreSQL denies a privilege to the role of DATABASE_URL: permission denied for table migrations.',
        'redis: 127.0.0.1:1 does not respond',
      ],
    );
  } finally {
    await client.query('drop schema strange cascade; drop role stranger');
    await client.end();
  }
});

test.serial('doctor reports every server that does not respond', async (t) => {
  const nowhere = '127.0.0.1:1';
  const away = await diagnose(t.context, {
    DATABASE_URL: `postgres://shop@${nowhere}/shop`,
    REDIS_URL: `redis://${nowhere}`,
    SMTP_URL: `smtp://${nowhere}`,
  });
  t.is(away.code, 1);
  t.is(away.faults.length, 3);
  t.regex(
    away.faults.join('\n'),
    /^database: PostgreSQL does not respond at DATABASE_URL: .*ECONNREFUSED.*\nredis: 127\.0\.0\.1:1 does not respond: .*ECONNREFUSED.*\nmail server: The connection to the mail server failed \(ECONNREFUSED\)/,
  );
  t.true(away.findings.every(({ advice }) => advice));
});

for (const [circumstance, change, problem, remedy] of [
  [
    'a login that Redis rejects as such',
    { password: 'wrong' },
    / rejects the login: WRONGPASS .*[^.]\.$/,
    /^Correct the user or the password in REDIS_URL/,
  ],
  [
    'a database that Redis does not have',
    { pathname: '/999999999' },
    / has no such database: ERR DB index is out of range\.$/,
    /^Correct the number at the end of REDIS_URL/,
  ],
] as const) {
  test.serial(`doctor reports ${circumstance}`, async (t) => {
    const { href } = Object.assign(new URL(own.redisUrl), change);
    const { code, findings } = await diagnose(t.context, { REDIS_URL: href });
    const { message, advice } = findings.find(({ about }) => about === 'redis') ?? {};
    t.is(code, 1);
    t.regex(message ?? '', problem);
    t.regex(advice ?? '', remedy);
  });
}

test.serial('doctor reports a user whom Redis denies a command', async (t) => {
  const redis = new Redis(own.redisUrl);
  t.teardown(() => redis.disconnect());
  const [user, password] = ['doctor-test', 'secret'];
  await redis.call('acl', 'setuser', user, 'on', `>${password}`, '~*', '&*', '+@all', '-info');
  const { href } = Object.assign(new URL(own.redisUrl), { username: user, password });
  const { findings } = await diagnose(t.context, { REDIS_URL: href });
  await redis.call('acl', 'deluser', user);
  const { level, message, advice } = findings.find(({ about }) => about === 'redis') ?? {};
  t.is(level, 'fault');
  t.regex(message ?? '', / denies the user a command: NOPERM .*'info' command\.$/);
  t.regex(advice ?? '', /^Allow the user of REDIS_URL all commands/);
});

test.serial('doctor reports a Redis that evicts jobs, one without persistence, and one that is too old', async (t) => {
  const redis = new Redis(own.redisUrl);
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru', 'save', '60 1');
  const throwing = await diagnose(t.context, { REDIS_URL: own.redisUrl });
  t.is(throwing.code, 1);
  t.deepEqual(
    throwing.faults.filter((line) => line.startsWith('redis')),
    ['redis policy: It evicts jobs when its memory is full (allkeys-lru).'],
  );
  t.false(throwing.warnings.some((line) => line.startsWith('redis persistence')));
  await redis.config('SET', 'maxmemory-policy', 'noeviction', 'save', '');
  t.true(
    (await diagnose(t.context, { REDIS_URL: own.redisUrl })).warnings.some((line) =>
      line.startsWith('redis persistence'),
    ),
  );
  redis.disconnect();

  const info = 'redis_version:5.0.14\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n';
  const old = createServer((socket) => {
    socket.on('data', (commands) => {
      const commandNames = [...commands.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)];
      for (const [, name = ''] of commandNames)
        socket.write(/info/i.test(name) ? `$${info.length}\r\n${info}\r\n` : '+OK\r\n');
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(old, 'listening');
  const { port } = old.address() as AddressInfo;
  const { faults } = await diagnose(t.context, { REDIS_URL: `redis://127.0.0.1:${port}` });
  old.close();
  t.true(faults.includes(`redis: 127.0.0.1:${port} is version 5.0.14.`), faults.join());
});

test.serial('doctor reports a Redis whose memory is full, and no missing process because of it', async (t) => {
  const redis = new Redis(own.redisUrl);
  await redis.config('SET', 'maxmemory', '1kb');
  const { code, findings, faults } = await diagnose(t.context, { REDIS_URL: own.redisUrl });
  await redis.config('SET', 'maxmemory', '0');
  redis.disconnect();
  t.is(code, 1);
  t.is(faults.length, 1, faults.join());
  t.regex(faults[0] ?? '', /^redis: 127\.0\.0\.1:\d+ has no memory left: OOM command not allowed/);
  t.like(
    findings.find(({ about }) => about === 'workers'),
    { level: 'warning', message: 'Which of them run is unknown without Redis.' },
  );
});

test.serial('doctor reports a mail server that rejects the password', async (t) => {
  const server = new SMTPServer({
    authOptional: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(new Error('No.')),
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const { code, findings } = await diagnose(t.context, { SMTP_URL: `smtp://shop:wrong@127.0.0.1:${port}` });
  server.close();
  const { message, advice } = findings.find(({ about }) => about === 'mail server') ?? {};
  t.deepEqual([code, advice], [1, 'Correct the user and password in SMTP_URL.']);
  t.regex(message ?? '', /^The mail server responded 535/);
});

test.serial('doctor reports jobs that wait for a relay or a worker, or failed', async (t) => {
  const { ctx, services } = t.context;
  const clock = { now: () => new Date(Date.now() - 20 * 60_000) };
  await transact({ ...ctx, clock }, async (ctx) => enqueue(ctx, purchaseLabel, { orderId: newId('ord') } as never));
  const unrelayed = await diagnose(t.context);
  t.true(unrelayed.faults.includes('workers: Jobs have waited 20 minutes for a relay.'), unrelayed.faults.join());
  await services.execute(sql`update outbox set due_at = now() - interval '65 s' where tenant_id = ${ctx.tenant.id}`);
  const lately = await diagnose(t.context);
  t.true(lately.faults.includes('workers: Jobs have waited 1 minute for a relay.'), lately.faults.join());

  await services.execute(sql`update outbox set due_at = now() - interval '20 min' where tenant_id = ${ctx.tenant.id}`);
  await services.execute(sql`update outbox set relays = 1 where tenant_id = ${ctx.tenant.id}`);
  const unworked = await diagnose(t.context);
  t.true(unworked.faults.includes('workers: Jobs of the queue labels have waited 20 minutes.'), unworked.faults.join());
  t.regex(unworked.findings.find(({ about }) => about === 'workers')?.advice ?? '', /worker-labels/);
  await services.execute(sql`
    update outbox set failed_at = now(), failure = 'crashed', next_relay_at = null where tenant_id = ${ctx.tenant.id}`);
  const { code, faults, findings } = await diagnose(t.context);
  t.is(code, 1);
  t.true(faults.includes('failed jobs: 1 × labels.purchase-label failed after the last attempt.'), faults.join());
  t.regex(findings.find(({ about }) => about === 'failed jobs')?.advice ?? '', /\/ops\/queues\/queue\/labels, .*Retry/);
  await services.execute(sql`delete from outbox where tenant_id = ${ctx.tenant.id}`);
});

test.serial('doctor says of jobs of another release that they wait for it, and of no process', async (t) => {
  const { ctx, services } = t.context;
  const dueAt = new Date(Date.now() - 20 * 60_000);
  // What other tests have enqueued waits for a relay that is not there: for a minute, on a slow machine.
  await services.execute(sql`delete from outbox`);
  await fillOutbox(services, { store: ctx.tenant.id, job: 'webhooks.new', count: 3, dueAt });
  const { faults, warnings } = await diagnose(t.context);
  t.false(faults.join().includes('have waited'), faults.join());
  const message = 'workers: 3 × webhooks.new wait for another release, because this one does not know them.';
  t.true(warnings.includes(message), warnings.join());
  await services.execute(sql`
    update outbox set failed_at = now(), failure = 'crashed', next_relay_at = null where tenant_id = ${ctx.tenant.id}`);
  const { findings } = await diagnose(t.context);
  t.regex(findings.find(({ about }) => about === 'failed jobs')?.advice ?? '', /^Deploy a release that knows them,/);
  await services.execute(sql`delete from outbox where tenant_id = ${ctx.tenant.id}`);
});

test.serial('doctor reports each queue that no process runs, and a relay that is missing', async (t) => {
  const { url } = await createTestRedis();
  const { ctx, services } = t.context;
  const workersIn = async () =>
    (await diagnose(t.context, { REDIS_URL: url })).findings
      .filter(({ about }) => about === 'workers')
      .map(({ level, message, advice }) => [level, message, advice]);
  await services.execute(sql`delete from outbox`);
  const running: Services[] = [];
  t.teardown(() => Promise.all(running.map((services) => services.close())));
  const report = async (name: string) =>
    running.push(await reportProcess(name, { ...environment, DATABASE_URL: own.databaseUrl, REDIS_URL: url }));
  const advice = 'Start a worker, which does all of it, or one of each that is named: heroku ps:scale worker=1';
  const every = queueNames.map((queue) => `${queue} (worker-${queue})`).join(', ');
  await report('worker-relay');
  t.deepEqual(await workersIn(), [['warning', `No process runs ${every}.`, advice]]);
  await running.pop()?.close();
  for (const queue of queueNames) if (queue !== 'bulk') await report(`worker-${queue}`);
  t.deepEqual(await workersIn(), [['warning', 'No process runs relay (worker-relay), bulk (worker-bulk).', advice]]);

  await transact(ctx, async (ctx) => enqueue(ctx, purchaseLabel, { orderId: newId('ord') } as never));
  t.deepEqual(
    await workersIn(),
    [['fault', 'No process runs relay (worker-relay), bulk (worker-bulk), and jobs are due there.', advice]],
    'a due job of labels waits for the relay',
  );
  await services.execute(sql`delete from outbox where tenant_id = ${ctx.tenant.id}`);

  await report('worker');
  t.deepEqual(
    (await workersIn()).map(([level]) => level),
    ['ok'],
  );
});

test.serial('doctor reports a queue that another program paused', async (t) => {
  const { url } = await createTestRedis();
  const queue = new Queue('payments', { connection: { url }, prefix: queuePrefix('payments') });
  t.teardown(() => queue.close());
  const workersIn = async () =>
    (await diagnose(t.context, { REDIS_URL: url })).faults.filter((it) => /paused/.test(it));
  await queue.pause();
  t.deepEqual(await workersIn(), ['workers: No job of these queues runs, because they are paused in Redis: payments.']);
  await queue.resume();
  t.deepEqual(await workersIn(), []);
});

test.serial('doctor does not say that workers run while Redis does not respond', async (t) => {
  const { findings } = await diagnose(t.context, { REDIS_URL: 'redis://127.0.0.1:1' });
  t.deepEqual(
    findings.filter(({ about }) => about === 'workers').map(({ level, message }) => [level, message]),
    [['warning', 'Which of them run is unknown without Redis.']],
  );
});

test.serial('doctor reports secrets whose key is missing, different or older', async (t) => {
  const [id = '', value = ''] = (environment['ENCRYPTION_KEYS'] ?? '').split(':');
  const other = Buffer.alloc(32, 7).toString('base64');
  const gone = await diagnose(t.context, { ENCRYPTION_KEYS: `k9:${other}` });
  t.is(gone.code, 1);
  t.regex(
    gone.faults.join('\n'),
    /^encryption keys: tenants\.session_secret_sealed: \d+ sealed with the key k1, which is not in ENCRYPTION_KEYS\.$/m,
  );
  const another = await diagnose(t.context, { ENCRYPTION_KEYS: `${id}:${other}` });
  t.regex(another.faults.join('\n'), /sealed with the key k1, which is a different key with that id\.$/m);
  t.is(
    another.findings.find(({ about }) => about === 'encryption keys')?.advice,
    'Give the key that is listed as k1 another id. Add the key again as k1:…, after the first one. ' +
      'If it is lost, save its secrets again: tenants rotate-secret, then apply.',
  );
  const older = await diagnose(t.context, { ENCRYPTION_KEYS: `k9:${other},${id}:${value}` });
  t.regex(older.warnings.join('\n'), /^encryption keys: \d+ secrets are encrypted with an older key than k9\.$/m);
  t.is(older.findings.find(({ about }) => about === 'encryption keys')?.advice, 'npm run cli -- rotate-keys');
});

test.serial('doctor reports API keys that are hashed with another pepper', async (t) => {
  const ctx = await newStore(t.context);
  await buildKey(ctx, ['orders:read']);
  const another = await diagnose(t.context, { KEY_PEPPER: Buffer.alloc(32, 7).toString('base64') });
  t.is(another.code, 1);
  t.regex(
    another.faults.join('\n'),
    /^key pepper: (\d+) of \1 API keys are hashed with another KEY_PEPPER, so requests with them are rejected\.$/m,
  );
  t.is(
    another.findings.find(({ about }) => about === 'key pepper')?.advice,
    'Set KEY_PEPPER to the value that it had. If that is lost, revoke these keys and create new ones.',
  );
});

test.serial('doctor reports stores that cannot sell: without an account or a key, or with a wrong key', async (t) => {
  const bare = await newStore(t.context);
  t.deepEqual(
    (await storeFaults(t.context, bare)).map(({ about, level, message }) => [about, level, message]),
    [
      ['stripe', 'warning', 'The store has no payment account, so it cannot sell.'],
      ['shippo', 'warning', 'The store has no shipping account, so it purchases no labels.'],
    ],
  );
  const messageFor = async (change: (ctx: Context) => Promise<unknown>) => {
    const ctx = await healthyStore(t.context);
    await change(ctx);
    return (await storeFaults(t.context, ctx)).map(({ about, level, message }) => `${level} ${about}: ${message}`);
  };
  const save = (ctx: Context, change: object) =>
    transact(ctx, (ctx) =>
      savePaymentAccount(ctx, { provider: 'stripe', mode: 'direct', automatic_tax: false, ...change }),
    );
  t.deepEqual(await messageFor((ctx) => save(ctx, { mode: 'connect', account_id: 'acct_1' })), [
    'fault stripe: The store cannot sell in connect mode.',
  ]);
  t.deepEqual(await messageFor((ctx) => save(ctx, {})), ['fault stripe: There is no secret key.']);
  t.deepEqual(await messageFor((ctx) => save(ctx, { secret_key: 'sk_test_revoked' })), [
    'fault stripe: Stripe does not accept the secret key.',
  ]);
  const asLive = (ctx: Context) => ({ ...ctx, settings: { ...ctx.settings, appMode: 'live' as const } });
  const live = await messageFor((ctx) => save(asLive(ctx), { secret_key: `sk_live_${randomText(20)}` }));
  t.is(live[0], 'fault stripe: This is a live key, and here is the test environment.');
});

test.serial('doctor reports a Stripe that does not respond, and one whose clock differs', async (t) => {
  const ctx = await healthyStore(t.context);
  const [away] = await storeFaults(t.context, ctx, { STRIPE_API_BASE: 'http://127.0.0.1:1' });
  t.regex(away?.message ?? '', /^Stripe does not respond: /);
  stripeAheadMs = 10 * 60_000;
  const [skewed] = await storeFaults(t.context, ctx);
  stripeAheadMs = 0;
  t.is(skewed?.about, 'stripe clock');
  t.regex(
    skewed?.message ?? '',
    /^The clocks of PostgreSQL and Stripe differ by (599|600|601) seconds, so signed events are rejected\.$/,
  );
});

test.serial("doctor compares Stripe's clock with PostgreSQL's, by which signatures are verified", async (t) => {
  const ctx = await healthyStore(t.context);
  const client = new pg.Client({ connectionString: t.context.services.config.databaseUrl });
  await client.connect();
  await client.query(`
    create schema ahead;
    create function ahead.clock_timestamp() returns timestamptz language sql
      as $$ select pg_catalog.clock_timestamp() + interval '90 s' $$;
    ${alterDatabase('set search_path = ahead, pg_catalog, public')}`);
  try {
    t.is((await storeFaults(t.context, ctx))[0]?.about, 'stripe clock');
    stripeAheadMs = 90_000;
    t.deepEqual(await storeFaults(t.context, ctx), []);
  } finally {
    stripeAheadMs = 0;
    await client.query(`${alterDatabase('reset search_path')}; drop schema ahead cascade`);
    await client.end();
  }
});

test.serial('doctor reports tax that is switched on in an account without Stripe Tax', async (t) => {
  const ctx = await newStore(t.context);
  const { secretKey } = await buildPaymentAccount(ctx, { automatic_tax: true });
  const faults = async () => (await storeFaults(t.context, ctx)).filter(({ about }) => about === 'stripe tax');
  t.deepEqual(await faults(), []);
  await stripeControl(stripe.url).setTax(secretKey, 'pending');
  t.like(await faults(), only({ level: 'fault', message: taxIsPending }));
});

test.serial('doctor reports each fault of a Stripe endpoint, and registering fixes it', async (t) => {
  const { payments } = t.context.services.context().ports;
  const accountOf = (ctx: Context, secretKey: string) => ({ tenantId: ctx.tenant.id, secretKey });
  const urlOf = ({ tenant }: Context) => `${environment['PUBLIC_URL']}/api/webhooks/stripe/${tenant.slug}`;
  const wrongs: [string, (ctx: Context, secretKey: string) => Promise<unknown>][] = [
    ['No endpoint is registered at Stripe.', async () => undefined],
    [
      'The endpoint at Stripe is disabled.',
      async (ctx, key) => {
        const { endpointId } = await registerWebhookEndpoint(ctx);
        await payments.endEndpoint(accountOf(ctx, key), endpointId, 'disable');
      },
    ],
    [
      `The endpoint at Stripe lacks event types: ${handledEventTypes.slice(1).join(', ')}.`,
      (ctx, key) =>
        stripeControl(stripe.url).addWebhookEndpoint(key, {
          url: urlOf(ctx),
          secret: `whsec_${randomText(20)}`,
          events: handledEventTypes.slice(0, 1),
        }),
    ],
    [
      'There is no signing secret, so every event is rejected.',
      async (ctx) => {
        await registerWebhookEndpoint(ctx);
        await transact(ctx, (ctx) =>
          ctx.tx.execute(sql`delete from payment_webhook_secrets where tenant_id = ${ctx.tenant.id}`),
        );
      },
    ],
    [
      'The signing secret belongs to another endpoint, so every event is rejected.',
      async (ctx) => {
        await registerWebhookEndpoint(ctx);
        await transact(ctx, async (ctx) => {
          await ctx.tx.execute(sql`delete from payment_webhook_secrets where tenant_id = ${ctx.tenant.id}`);
          await replaceWebhookSecret(ctx, { secret: 'whsec_other', endpointId: 'we_other' });
        });
      },
    ],
  ];
  for (const [message, goWrong] of wrongs) {
    const ctx = await newStore(t.context);
    const { secretKey } = await buildPaymentAccount(ctx);
    await goWrong(ctx, secretKey);
    const found = (await storeFaults(t.context, ctx)).filter(({ about }) => about === 'stripe webhook');
    t.deepEqual(
      found,
      [
        {
          about: 'stripe webhook',
          level: 'fault',
          message,
          advice: `npm run cli -- webhooks:register ${ctx.tenant.slug}`,
        },
      ],
      message,
    );

    const registered = await callCli(['webhooks:register', ctx.tenant.slug], {
      ...environment,
      DATABASE_URL: t.context.services.config.databaseUrl,
    });
    t.is(registered.code, 0, registered.err);
    t.regex(registered.out, /^Stripe delivers to /);
    t.deepEqual(
      (await storeFaults(t.context, ctx)).filter(({ about }) => about === 'stripe webhook'),
      [],
      message,
    );
  }

  const silent = await healthyStore(t.context);
  await transact(silent, (ctx) =>
    ctx.tx.execute(sql`
    update payment_accounts set silent_since = '2026-11-20T12:00:00Z' where tenant_id = ${ctx.tenant.id}`),
  );
  const [fault] = await storeFaults(t.context, silent);
  t.regex(fault?.message ?? '', /^Since 2026-11-20T12:00:00.000Z no webhook has arrived at /);
});

test.serial('doctor reports shipping providers that reject the key or do not respond', async (t) => {
  const ctx = await newStore(t.context);
  const { api_key: key = '' } = await buildShippingAccount(ctx, { api_key: `shippo_test_${randomText(20)}` });
  await transact(ctx, (ctx) => saveSecondShippingAccount(ctx, { provider: 'easypost', api_key: 'EZTK1234567890' }));
  await shippoControl(shippo.url).configureAccount(key, { auth_broken: true });
  const said = (await storeFaults(t.context, ctx))
    .filter(({ about }) => about !== 'stripe')
    .map(({ about, level, message }) => `${level} ${about}: ${message}`);
  t.is(said[0], 'fault shippo: The provider does not accept the key.');
  t.regex(said[1] ?? '', /^warning easypost: The provider /);
  const live = await newStore(t.context);
  await buildShippingAccount(
    { ...live, settings: { ...live.settings, appMode: 'live' } },
    { api_key: `shippo_live_${randomText(20)}` },
  );
  const [kind] = (await storeFaults(t.context, live)).filter(({ about }) => about === 'shippo');
  t.is(kind?.message, 'This is a live key, and here is the test environment.');
  const away = await storeFaults(t.context, ctx, { SHIPPO_API_BASE: 'http://127.0.0.1:1' });
  t.is(away.find(({ about }) => about === 'shippo')?.message, 'The provider did not respond.');
});
