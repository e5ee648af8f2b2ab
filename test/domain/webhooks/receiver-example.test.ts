import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import anyTest, { type TestFn } from 'ava';
import { Webhook } from 'standardwebhooks';
import { transact } from '#src/database/transact.ts';
import { freePort } from '#src/dev/embedded/free-port.ts';
import { newSecret } from '#src/domain/webhooks/endpoint-secrets.ts';
import { drainEndpoint, listDeliveries, listEndpoints, redeliver, saveEndpoint } from '#src/domain/webhooks/index.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { codeBlock } from '#test/support/documents.ts';
import { type TestContext, useContext } from '../../support/context.ts';
import { buildPaidOrder } from '../../support/factories/orders.ts';
import { countStates } from '../../support/factories/webhooks.ts';

const test = (anyTest as TestFn<TestContext>).serial;
useContext(anyTest as TestFn<TestContext>);

const root = fileURLToPath(new URL('../../..', import.meta.url));
const example = codeBlock('src/domain/webhooks/README.md', 'js', 'standardwebhooks');

test('the documented receiver accepts signed events once and rejects everything else', async (t) => {
  const { ctx } = t.context;
  const [secret, port] = [newSecret(), await freePort()];
  const environment = { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) };
  const receiver = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: root,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => receiver.kill());
  receiver.stdin.end(example);
  const printed: string[] = [];
  const lines = createInterface(receiver.stdout);
  lines.on('line', (line) => printed.push(line));
  await once(lines, 'line');
  t.deepEqual(printed, ['listening']);

  const url = `http://127.0.0.1:${port}/hooks`;
  await transact(ctx, (ctx) => saveEndpoint(ctx, { url, events: ['order.paid'], secret }));
  const {
    rows: [endpoint],
  } = await listEndpoints(ctx, { limit: 1 });
  const endpointId = endpoint?.id ?? '';
  const order = await buildPaidOrder(ctx);
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', order.id));
  await drainEndpoint(ctx, { endpointId });
  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId, limit: 1 });
  await redeliver(ctx, { id: delivery?.id ?? '' });
  await drainEndpoint(ctx, { endpointId });
  t.deepEqual(await countStates(ctx, endpointId), { delivered: 1 });
  t.is((await listDeliveries(ctx, { endpointId, limit: 1 })).rows[0]?.attemptCount, 2);

  const body = JSON.stringify({
    id: 'evt_forged',
    type: 'order.paid',
    data: { object: { id: 'ord_forged' }, object_version: 9 },
  });
  const post = async (body: string, key: string, at: Date) => {
    const signature = new Webhook(key).sign('evt_forged', at, body);
    const headers = {
      'webhook-id': 'evt_forged',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    };
    return (changed = body) => fetch(url, { method: 'POST', headers, body: changed }).then(({ status }) => status);
  };
  const now = new Date();
  t.is(await (await post(body, newSecret(), now))(), 400, 'another secret');
  t.is(await (await post(body, secret, now))(body.replace('9', '8')), 400, 'a changed body');
  t.is(await (await post(body, secret, new Date(now.getTime() - 10 * 60_000)))(), 400, 'an old one');
  t.deepEqual(printed.slice(1), [`order.paid ${order.id}`]);
});
