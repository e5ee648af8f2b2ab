import { setTimeout as pause } from 'node:timers/promises';
import { readOptions } from '#src/cli/lib/script-options.ts';
import type { Purchase } from './shoppers.ts';

/*
 * `npm run chaos:each`: an order is paid while one kind of process is killed (kill -9), kind after kind, and once
 * while Redis is flushed; each must get its payment, label, webhook and receipt. Prints how long it took.
 */

readOptions(
  'Pays an order while one kind of process is killed, kind after kind, and once while Redis is flushed, ' +
    'and prints how long\n' +
    'it took until the order had its payment, label, webhook and receipt. Exits with 1 when one is missing.',
  'npm run chaos:each --',
  {},
);
const { Redis } = await import('ioredis');
const { startReceiver } = await import('#src/dev/demo/receiver.ts');
const { startStack } = await import('#src/dev/stack/start-stack.ts');
const { seededRandom } = await import('#test/support/random.ts');
const { openInvariants } = await import('./invariants.ts');
const { sendShoppers } = await import('./shoppers.ts');

const receiver = await startReceiver();
const stack = await startStack(receiver, {
  workers: 'each',
  environment: { LABEL_BUY_TIMEOUT: '2s', LABEL_LOOKUP_GRACE: '1s', LOG_LEVEL: 'info' },
  report: (line) => console.log(line),
});
const invariants = await openInvariants(stack, receiver);
const random = seededRandom(1);
const bought: Purchase[] = [];
let shoppers = 0;
let failed = false;

async function waitForInvariants(name: string, startedAt: number): Promise<void> {
  for (;;) {
    const breaches = await invariants.findBreaches({ bought });
    const took = performance.now() - startedAt;
    if (breaches.length > 0 && took < 60_000) {
      await pause(50);
      continue;
    }
    failed ||= breaches.length > 0;
    console.log(
      `${breaches.length > 0 ? '✘' : '✔'} ${name.padEnd(42)} ${String(Math.round(took)).padStart(6)} ms` +
        breaches.map((breach) => `\n     ${breach}`).join(''),
    );
    return;
  }
}

/** A shopper whose product is sold out buys nothing, and another one comes. */
async function buyOne(): Promise<void> {
  const before = bought.length;
  while (bought.length === before) {
    const firstNumber = shoppers++;
    bought.push(...(await sendShoppers(stack, random, { count: 1, atOnce: 1, firstNumber, allPay: true })));
  }
}

try {
  await buyOne();
  await waitForInvariants('no fault', performance.now());
  for (const name of [...stack.processes.keys()].filter((name) => name !== 'web')) {
    const startedAt = performance.now();
    await stack.processes.get(name)?.kill('SIGKILL');
    await buyOne();
    await stack.restart(name);
    await waitForInvariants(`${name} killed, restarted after the payment`, startedAt);
  }

  // While the payments worker is down, its jobs are in Redis and are lost with it.
  const startedAt = performance.now();
  await stack.processes.get('worker-payments')?.kill('SIGKILL');
  await buyOne();
  const redis = new Redis(stack.redisUrl);
  while ((await redis.llen('{payments}:payments:wait')) === 0) await pause(20);
  await redis.flushall();
  redis.disconnect();
  await stack.restart('worker-payments');
  await waitForInvariants('Redis flushed with the payment in its queue', startedAt);
} finally {
  await invariants.close();
  await stack.stop();
  receiver.close();
}
process.exit(failed ? 1 : 0);
