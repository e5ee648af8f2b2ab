import anyTest, { type TestFn } from 'ava';

import { listAudit } from '#src/domain/audit/index.ts';
import { callCli } from '#test/support/cli.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { receiverFor } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const { DATABASE_URL: _another, ...environment } = testEnvironment();
const test = anyTest as TestFn<TestContext>;
useContext(test, { environment });

const call = ({ services, tenant }: TestContext, name: string, ...words: string[]) =>
  callCli([`webhooks:${name}`, tenant.slug, ...words], { ...environment, DATABASE_URL: services.config.databaseUrl });

async function callJson(context: TestContext, name: string, ...words: string[]) {
  const { code, out, err } = await call(context, name, ...words, '--json');
  if (code !== 0) throw new Error(`${name}: ${out}${err}`);
  return JSON.parse(out);
}

test.serial('the webhooks commands create, test, inspect, change and remove an endpoint', async (t) => {
  const { services, ctx } = t.context;
  const receiver = await receiverFor(t);
  const made = await call(
    t.context,
    'create',
    `${receiver.url}/a`,
    '--events',
    'order.paid, order.shipped',
    '--concurrency',
    '2',
  );
  t.is(made.code, 0, made.err);
  const [secret = ''] = made.out.split('\n');
  t.regex(secret, /^whsec_/);
  const list = await call(t.context, 'list');
  const [, id = ''] = /^(whe_\S+) +on +\S+ +order\.paid,order\.shipped$/m.exec(list.out) ?? [];
  t.not(id, '', list.out);
  t.false(list.out.includes(secret));

  const tested = await callJson(t.context, 'test', id);
  t.regex(tested.event_id, /^evt_/);
  await runJobs(services);
  t.is(receiver.requests.length, 1);
  const deliveries = await call(
    t.context,
    'deliveries',
    id,
    '--state',
    'delivered',
    '--since',
    '24h',
    '--type',
    'webhook.test',
  );
  const [, delivery = ''] = /^(whd_\S+) .* webhook\.test +delivered +1 +2\d\d /m.exec(deliveries.out) ?? [];
  t.not(delivery, '', deliveries.out);
  t.regex(
    (await call(t.context, 'delivery', delivery)).out,
    /^webhook\.test \(evt_\S+\) for whe_\S+: delivered\.\nATTEMPT .*\n1 .* 2\d\d .* ms/,
  );
  t.is((await callJson(t.context, 'delivery', delivery)).attempts.length, 1);

  t.is((await call(t.context, 'redeliver', delivery)).out, `${delivery} is being resent.\n`);
  await runJobs(services);
  t.is(receiver.requests.length, 2);
  t.is((await call(t.context, 'recover', id, '1h')).out, 'There is nothing to resend.\n');
  t.is((await callJson(t.context, 'recover', id, '2020-01-01T00:00:00Z', '--only', 'all')).recovered, 1);
  await runJobs(services);

  const rotated = await callJson(t.context, 'rotate', id);
  t.not(rotated.secret, secret);
  t.is(
    (await call(t.context, 'update', id, '--events', 'order.*')).out,
    `${id} receives order.* at ${receiver.url}/a.\n`,
  );
  t.is((await call(t.context, 'disable', id)).out, `${id} is disabled.\n`);
  t.regex((await call(t.context, 'list')).out, /off \(owner\)/);
  t.is((await call(t.context, 'test', id)).code, 1);
  t.is((await callJson(t.context, 'enable', id)).webhook_endpoint.status, 'enabled');
  t.is((await call(t.context, 'remove', id)).out, `${id} is deleted.\n`);
  t.is((await call(t.context, 'list')).out, 'The store has no webhook endpoints.\n');
  t.is((await call(t.context, 'disable', id)).err, 'There is no such webhook endpoint.\n');

  const { rows } = await listAudit(ctx, { limit: 20 });
  t.deepEqual(
    rows.toReversed().map(({ action }) => action.split('.')[1]),
    [
      'created',
      'tested',
      'redelivered',
      'recovered',
      'recovered',
      'secret_rotated',
      'updated',
      'disabled',
      'enabled',
      'removed',
    ],
  );
  t.true(rows.every(({ actorKind, actorId }) => actorKind === 'operator' && actorId === 'cli'));
});

test.serial('the webhooks commands report invalid values by the names of parameters and options', async (t) => {
  const wrong: [string[], RegExp][] = [
    [['create', 'https://a.example/hook'], /--events is required/],
    [['create', 'https://a.example/hook', '--events', 'order.baked'], /--events must be one of .*order\.paid, /],
    [
      ['create', 'https://a.example/hook', '--events', 'order.paid', '--concurrency', '99'],
      /--concurrency must be at most 32/,
    ],
    [
      ['create', 'https://a.example/hook', '--events', 'order.paid', '--rate-per-second', 'many'],
      /--rate-per-second must be/,
    ],
    [
      ['deliveries', 'whe_1', '--state', 'lost'],
      /--state must be one of pending, delivered, failed, discarded|--state must be equal/,
    ],
    [['deliveries', 'whe_1', '--since', 'lately'], /--since is no time that I know\. A time such as/],
    [['recover', 'whe_1', 'lately'], /--since is no time/],
    [['recover', 'whe_1', '1h', '--only', 'some'], /--only must be/],
  ];
  for (const [[name = '', ...words], message] of wrong) {
    const { code, err } = await call(t.context, name, ...words);
    t.is(code, 2, `${name}: ${err}`);
    t.regex(err, message);
  }
  const private_ = await callCli(
    ['webhooks:create', t.context.tenant.slug, 'https://user:pass@a.example', '--events', 'order.paid'],
    { ...environment, DATABASE_URL: t.context.services.config.databaseUrl },
  );
  t.is(private_.code, 1);
  t.notRegex(private_.err, / at /);
});

test.serial('webhooks:events lists the event types', async (t) => {
  const { code, out } = await callCli(['webhooks:events']);
  t.is(code, 0);
  t.regex(out, /^order\.paid +The payment has arrived/m);
  t.true(
    JSON.parse((await callCli(['webhooks:events', '--json'])).out).event_types.every(
      ({ schema, sample }: { schema: object; sample: object }) => schema && sample,
    ),
  );
});
