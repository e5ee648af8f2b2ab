import type { Rate } from '../ports/shipping-gateway.ts';

/**
 * The cheapest rate of an enabled carrier in this currency: by amount, then fewer days, then the order in which the
 * store names its carriers; the other criteria only make the choice deterministic.
 *
 * @param carriers enabled carriers; empty: all
 */
export function chooseCheapest(
  rates: readonly Rate[],
  carriers: readonly string[],
  currency: string,
): Rate | undefined {
  return sortedByCost(rates, carriers).find((rate) => rate.currency === currency);
}

/** The rates of enabled carriers, the one to choose first. */
export function sortedByCost(rates: readonly Rate[], carriers: readonly string[]): Rate[] {
  return rates
    .filter(({ carrier }) => carriers.length === 0 || carriers.includes(carrier))
    .toSorted(
      (left, right) =>
        left.amountCents - right.amountCents ||
        (left.estimatedDays ?? Infinity) - (right.estimatedDays ?? Infinity) ||
        carriers.indexOf(left.carrier) - carriers.indexOf(right.carrier) ||
        compare(left.carrier, right.carrier) ||
        compare(left.serviceCode, right.serviceCode) ||
        compare(left.id, right.id),
    );
}

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
