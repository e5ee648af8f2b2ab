import { describeFelt, type Felt } from './buyer.ts';
import type { MisbehavingStore } from './misbehaving-store.ts';

export interface FeltBeside {
  /** Buy so many orders, one by one. */
  readonly buy: (times: number) => Promise<Felt>;
  /** Wait until nothing is left to do of a flood that was ended. */
  readonly settle: () => Promise<unknown>;
  /** How many orders are measured beside each flood, and as many before and after it. */
  readonly measured: number;
  readonly report: (line: string) => void;
}

/**
 * Report what a store feels of each flood of another one: how long its shoppers wait for a cart, and its owner for a label
 * and for `order.paid`, against the same without it, right before and after. A machine does not have the same pace for
 * minutes, and processes that have just begun are slow.
 */
export async function reportFloods(
  { floods, left, clear }: MisbehavingStore,
  { buy, settle, measured, report }: FeltBeside,
): Promise<void> {
  let before = await buy(measured);
  for (const { name, begin } of floods) {
    const end = await begin();
    const first = await buy(1);
    const beside = await buy(measured);
    const { due, relayed } = await left();
    await clear();
    await end();
    await settle();
    const after = await buy(measured);
    const quiet = together(before, after);
    report(describeFelt('nothing else, before and after', quiet));
    report(`${describeFelt(name, beside, quiet)} (aim 1.5 ×)`);
    report(`  ${describeFelt('the first order', first)}; jobs left: ${due} as rows, ${relayed} in the queues`);
    before = after;
  }
}

const together = (one: Felt, other: Felt): Felt => ({
  cart: [...one.cart, ...other.cart],
  label: [...one.label, ...other.label],
  delivered: [...one.delivered, ...other.delivered],
});
