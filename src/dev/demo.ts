import { readOptions } from '#src/cli/lib/script-options.ts';
import type { Journey } from './demo/journey.ts';
import type { Stack } from './stack/start-stack.ts';

/*
 * The whole service on an empty machine: `npm run demo` starts everything, runs shoppers through the store over HTTP,
 * prints what it checked and how long it took, stops everything, and exits with 0 only if all checks passed.
 */

readOptions(
  'Starts everything on this machine, runs shoppers through a store from browsing to delivery, ' +
    'prints what it checked, and\n' +
    'stops everything. Exits with 1 when a check fails.',
  'npm run demo --',
  {},
);
const { createAdmin, createStorefront } = await import('#src/client/src/index.ts');
const { analytics } = await import('./demo/analytics.ts');
const { runSteps } = await import('./demo/journey.ts');
const { purchase } = await import('./demo/purchase.ts');
const { startReceiver } = await import('./demo/receiver.ts');
const { abandonedCart, account } = await import('./demo/returning-shoppers.ts');
const { international, subscription } = await import('./demo/special-orders.ts');
const { onStop } = await import('./stack/on-stop.ts');
const { givenVariables, startStack } = await import('./stack/start-stack.ts');

const print = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  const startedAt = performance.now();
  const receiver = await startReceiver();
  const stack = await startStack(receiver, { workers: 'all', environment: givenVariables(), report: print });
  onStop(stack.stop, 130);
  try {
    print(`Started in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`);
    const steps = [
      ...purchase(),
      ...account(),
      ...abandonedCart(),
      ...subscription(),
      ...international(),
      ...analytics(),
    ];
    return await runSteps(steps, { stack, receiver, ...clientsOf(stack) }, print);
  } finally {
    await stack.stop();
    await receiver.close();
  }
}

function clientsOf({ url, store }: Stack): Pick<Journey, 'storefront' | 'server' | 'admin'> {
  const { slug: tenant, publishableKey, secretKey } = store;
  return {
    storefront: createStorefront({ baseUrl: url, tenant, publishableKey }),
    server: createStorefront({ baseUrl: url, tenant, secretKey }),
    admin: createAdmin({ baseUrl: url, secretKey }),
  };
}

const passed = await main().catch((error: unknown) => {
  print(error instanceof Error ? error.message : String(error));
  return false;
});
print(passed ? '\nAll checks passed.' : '\nA check failed.');
process.exit(passed ? 0 : 1);
