import { readOptions } from '#src/cli/lib/script-options.ts';
import { abandonedCart } from './demo/abandoned-cart.ts';
import { account } from './demo/account.ts';
import { international } from './demo/international.ts';
import { type Journey, walk } from './demo/journey.ts';
import { numbers } from './demo/numbers.ts';
import { purchase } from './demo/purchase.ts';
import { startReceiver } from './demo/receiver.ts';
import { subscription } from './demo/subscription.ts';
import { givenVariables } from './stack/given-variables.ts';
import { onStop } from './stack/on-stop.ts';
import { type Stack, startStack } from './stack/start-stack.ts';

/*
 * The main job on a bare machine: `npm run demo` starts everything, drives shoppers through the store over HTTP,
 * says what it checked and how long it took, stops everything, and exits 0 only if all of it held.
 */

readOptions(
  'Starts everything on this machine, drives shoppers through a store from the shelf to the doorstep, says what it checked, and\n' +
    'stops everything. Ends with 1 where something did not hold.',
  'npm run demo --',
  {},
);

const print = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  const startedAt = performance.now();
  const receiver = await startReceiver();
  const stack = await startStack(receiver, { workers: 'each', environment: givenVariables(), report: print });
  onStop(stack.stop, 130);
  try {
    print(`Up after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`);
    const steps = [
      ...purchase(),
      ...account(),
      ...abandonedCart(),
      ...subscription(),
      ...international(),
      ...numbers(),
    ];
    return await walk(steps, { stack, receiver, ask: askerOf(stack) }, print);
  } finally {
    await stack.stop();
    receiver.close();
  }
}

function askerOf({ url, store }: Stack): Journey['ask'] {
  return async (method, path, { body, session, key = 'publishable' } = {}) => {
    const bearer = session ?? (key === 'secret' ? store.secretKey : store.publishableKey);
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        'x-tenant-slug': store.slug,
        ...(isPublic(path) ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  };
}

/** Where no key is needed, the store is named by its slug alone. */
const isPublic = (path: string) => /^\/(customer\/magic-link|analytics)\//.test(path);

const held = await main().catch((error: unknown) => {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return false;
});
print(held ? '\nEverything held.' : '\nSomething did not hold.');
process.exit(held ? 0 : 1);
