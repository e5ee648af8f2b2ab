import pg from 'pg';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import { reportFloods } from '#test/bench/lib/beside-floods.ts';
import { buyOneByOne, openBuyer } from '#test/bench/lib/buyer.ts';
import { type MisbehavingStore, openMisbehavingStore } from '#test/bench/lib/misbehaving-store.ts';
import type { Purchase } from './shoppers.ts';

/** Enough that a few slow ones are not the 95th percentile. */
const measured = 120;
/** Those that may still wait for what a flood has begun. */
const settling = 10;

/** A store that misbehaves beside the one that the invariants are of. */
export interface Neighbour {
  /** Orders that were bought beside its floods. */
  readonly bought: readonly Purchase[];
  /** Begin all its floods at once. */
  flood(): Promise<void>;
  /** End them and remove what they left. */
  end(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Open a store that misbehaves in each way, and report what the other one feels of each.
 *
 * @param due jobs of each kind; the other sizes follow from it
 */
export async function openNeighbour(stack: Stack, due: number, report: (line: string) => void): Promise<Neighbour> {
  const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
  await client.connect();
  const rows = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
  const sizes = { due, hanging: Math.ceil(due / 10), products: Math.ceil(due / 20), searching: 20 };
  const store = await openMisbehavingStore(stack.environment, stack.url, sizes);
  const bought: Purchase[] = [];
  try {
    await rows(
      `update variants set stock = null where product_id in (select id from products where slug = 'oak-bowl')`,
    );
    const buyer = await openBuyer(stack, rows);
    const buy = (times: number) =>
      buyOneByOne(buyer, times, ({ orderId, email }) => bought.push({ orderId, email, paid: true }));
    await buy(measured);
    await reportFloods(store, { buy, settle: () => buy(settling), measured, report });
  } finally {
    await client.end();
  }
  const ends: (() => Promise<void>)[] = [];
  return {
    bought,
    async flood() {
      for (const { begin } of store.floods) ends.push(await begin());
    },
    async end() {
      await clearAll(store, ends);
    },
    close: store.close,
  };
}

async function clearAll(store: MisbehavingStore, ends: (() => Promise<void>)[]): Promise<void> {
  await store.clear();
  for (const end of ends) await end();
}
