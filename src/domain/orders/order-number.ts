import { normaliseEmail } from '#src/lib/email-address.ts';
import { Text } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { typedCode } from '#src/lib/typed-code.ts';
import type { Context } from '../context.ts';
import { orderNumberOf } from './create-order.ts';

/** The number of an order as a person writes it: imported ones have at most 50 characters. */
export const OrderNumber = Text(50, { examples: ['ORD-1001'] });

/** The order numbers that may be meant: people omit the prefix, the number sign and the letter case. */
export function orderNumbersMeant(typed: string): string[] {
  const written = [typed.trim().toUpperCase(), typedCode(typed)];
  const unsigned = written.map((number) => number.replace(/^#\s*/, ''));
  const [, digits] = /^(?:ORD[^\w]*)?(\d+)$/.exec(unsigned[1] ?? '') ?? [];
  const own = digits ? [orderNumberOf(Number(digits))] : [];
  return [...new Set([...written, ...own, ...unsigned.flatMap((number) => [number, `#${number}`])])];
}

/**
 * The condition that an order `o` is the one with this number, as a person writes it, and this email; of several, which
 * imports can cause, the first that is meant.
 */
export function isOrderOf({ tenant }: Context, { orderNumber, email }: { orderNumber: string; email: string }): Sql {
  const numbers = orderNumbersMeant(orderNumber);
  const address = normaliseEmail(email);
  // The email is compared outside, too: who waited for the order's lock does not read the subquery again.
  return sql`o.email = ${address} and o.id = (
    select id from orders
    where tenant_id = ${tenant.id} and order_number = any(${numbers}::text[]) and email = ${address}
    order by array_position(${numbers}::text[], order_number) limit 1)`;
}
