import test from 'ava';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import { seededRandom } from '#test/support/random.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { injectFaults } from './fault-injector.ts';

/** The seeds with which the simulators of the providers choose the webhooks that they drop, repeat and reorder. */
async function seedsOfWebhooks(seed: number): Promise<number[]> {
  const simulators = await startReceiver();
  simulators.behave({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
  const url = new URL(simulators.url).origin;
  const stack = { stripeUrl: url, shippoUrl: url } as Stack;
  const webhooks = { drop: 0.3, duplicate: 0.3, shuffle: true };
  await (await injectFaults(stack, seededRandom(seed), { everyMs: 0, webhooks })).end();
  await simulators.close();
  return simulators.requests.flatMap(({ path, body }) => (path.endsWith('/deliveries') ? body.seed : []));
}

test('injectFaults with one seed repeats which webhooks of the providers are unreliable', async (t) => {
  const [first, again, other] = await Promise.all([7, 7, 8].map(seedsOfWebhooks));
  t.is(first?.filter(Number.isInteger).length, 2);
  t.deepEqual(again, first);
  t.notDeepEqual(other, first);
});
