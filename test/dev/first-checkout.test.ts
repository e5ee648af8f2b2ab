import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import test from 'ava';

import { startReceiver } from '#src/dev/demo/receiver.ts';
import { findProgram } from '#src/dev/embedded/find-program.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStack } from '#src/dev/stack/start-stack.ts';
import { createEmptyDatabase } from '#test/support/database.ts';
import { codeBlock } from '#test/support/documents.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { until } from '#test/support/until.ts';

const execute = promisify(execFile);
const checkout = codeBlock('README.md', 'sh', '/checkout/sessions');
const status = codeBlock('README.md', 'sh', '/status');

const faults = codeBlock('src/dev/README.md', 'sh', '/_control/faults');

const withCurl = findProgram(['curl']) ? test : test.skip;

withCurl(
  'the documented commands sell on the stack that npm run dev starts, and make its simulators fail',
  async (t) => {
    const [receiver, database, redis] = await Promise.all([startReceiver(), createEmptyDatabase(), createTestRedis()]);
    t.teardown(() => receiver.close());
    t.teardown(database.drop);
    const stack = await startStack(receiver, {
      workers: 'all',
      environment: { DATABASE_URL: database.url, REDIS_URL: redis.url },
    });
    t.teardown(() => stack.stop());

    /** The responses of the commands of a block, with what `npm run dev` printed in place of what the block shows. */
    const run = async (block: string, given: Record<string, string> = {}): Promise<any[]> => {
      const assignments = [`API=${stack.url}/api/v1`, `KEY=${stack.store.publishableKey}`];
      const script = Object.entries(given).reduce(
        (text, [shown, actual]) => text.replaceAll(shown, actual),
        block.replaceAll(/^(API|KEY)=.*$/gm, ''),
      );
      const commands = script.replaceAll(/^curl /gm, 'echo; curl --silent --show-error --fail-with-body ');
      const { stdout } = await execute('sh', ['-ec', [...assignments, commands].join('\n')]);
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    };

    const [list, detail, session] = await run(checkout);
    t.is(list.products.length, 3);
    t.is(detail.product.slug, 'pour-over-set');
    t.like(session.order, { status: 'pending' });

    await stripeControl(stack.stripeUrl).pay(session.checkout_url.split('/').at(-1), {
      outcome: 'paid',
      email: 'ada@example.com',
    });
    const readStatus = async () => (await run(status, { 'ord_…': session.order_id }))[0];
    const paid = await until(async () => {
      const read = await readStatus();
      return read.status === 'paid' && read;
    });
    t.is(paid.payment_status, 'paid');

    const urls = [`STRIPE=${stack.stripeUrl}`, `SHIPPO=${stack.shippoUrl}`, `MAILBOX=${stack.mailboxUrl}`];
    await t.notThrowsAsync(execute('sh', ['-ec', [...urls, faults.replaceAll(/^curl /gm, 'curl --fail ')].join('\n')]));
  },
);
