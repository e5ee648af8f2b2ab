import { setTimeout as pause } from 'node:timers/promises';

import { type Fault, shippoControl } from '#src/dev/simulators/shippo/control.ts';
import type { Random } from '#test/support/random.ts';

/** What the provider does to what buys, beside losing replies. */
const ownFaults: readonly Omit<Fault, 'times'>[] = [
  { match: 'POST /transactions', kind: 'unknown_enum', probability: 0.03 },
  { match: 'POST /transactions', kind: 'queued', probability: 0.02 },
  { match: 'POST /transactions', kind: 'transaction_error', text: 'The carrier API timed out.', probability: 0.02 },
  // It is done so late that both looks find nothing: a second label.
  { match: 'POST /transactions', kind: 'delay', ms: 9000, probability: 0.01 },
];

/** How often a reply is lost, in each of the ways there are, of what is asked often and of what is asked rarely. */
const [often, rarely] = [0.02, 0.08];
const frequent = ['GET /carrier_accounts', 'GET /transactions', 'POST /shipments', 'POST /transactions'];

/** Before: nothing was done. After: it was done, and the reply is lost. */
function around(match: string, probability: number): Omit<Fault, 'times'>[] {
  return [
    { match, probability, kind: 'reset_before' },
    { match, probability, kind: 'reset_after' },
    { match, probability, kind: 'status', status: 500 },
    { match, probability, kind: 'status', status: 502, after: true },
    { match, probability, kind: 'status', status: 429, retry_after: 1 },
    { match, probability: probability / 2, kind: 'hang' },
    { match, probability: probability / 2, kind: 'hang', after: true },
    { match, probability: probability / 2, kind: 'delay', ms: 2500, after: true },
  ];
}

/**
 * Let the provider fail in every way there is, and decide late what it left undecided, until told to end.
 *
 * @param requests what it is asked, as `POST /transactions`: each of it fails
 */
export async function misbehaveAsProvider(
  url: string,
  { requests, tokens, random }: { requests: readonly string[]; tokens: readonly string[]; random: Random },
): Promise<{ end(): Promise<void> }> {
  const control = shippoControl(url);
  await control.deliveries({ drop: 0.3, duplicate: 0.3 });
  const faults = [
    ...requests.flatMap((request) => around(request, frequent.includes(request) ? often : rarely)),
    ...ownFaults,
  ];
  for (const fault of faults) await control.fault({ ...fault, times: 1_000_000 });
  let ending = false;

  async function decide(): Promise<void> {
    for (const token of tokens) {
      const transactions = await control.transactions(token);
      for (const { object_id: id } of transactions.filter(({ status }) => status === 'QUEUED')) {
        await control.resolveTransaction(id, random.chance(0.7) ? 'SUCCESS' : 'ERROR', {
          text: 'The carrier API timed out.',
        });
      }
    }
  }

  const deciding = (async () => {
    while (!ending) {
      await pause(3000);
      await decide();
    }
  })();
  return {
    async end() {
      ending = true;
      await deciding;
      await control.clearFaults();
      await control.deliveries({});
      await decide();
    },
  };
}
