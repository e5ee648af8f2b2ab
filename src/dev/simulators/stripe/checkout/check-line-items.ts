import { invalid, missing, oneOf } from '../api/error.ts';
import { isCurrency, maximumCharge } from '../money.ts';
import type { Account } from '../state/account.ts';
import type { Recurring } from '../state/objects.ts';
import type { LineItemParams, PriceData, SessionParams } from '../state/session-params.ts';

const linesMax = 100;
const linesMaxOfAKind = 20;
const longestInterval: Readonly<Record<Recurring['interval'], number>> = {
  day: 1095,
  week: 156,
  month: 36,
  year: 3,
};

interface Line {
  readonly currency: string;
  readonly recurring: Recurring | null;
}

/** Reject lines that Checkout does not accept together. Returns their common currency. */
export function checkLines(account: Account, { line_items: params, mode, currency }: SessionParams): string {
  if (!params || params.length === 0) throw missing('line_items');
  const lines = params.map((line, index) => checkLine(account, line, `line_items[${index}]`));
  const recurring = lines.flatMap((line) => line.recurring ?? []);
  if (mode === 'payment') checkPaymentLines(lines.length, recurring.length);
  else checkSubscriptionLines(lines.length - recurring.length, recurring);
  const [first] = lines;
  const common = first?.currency ?? '';
  const odd = lines.findIndex((line) => line.currency !== common);
  if (odd > 0) {
    throw invalid('All line items must have the same currency.', `line_items[${odd}][price_data][currency]`);
  }
  if (currency !== undefined && currency.toLowerCase() !== common) {
    throw invalid('The currency must match that of the line items.', 'currency');
  }
  return common;
}

function checkPaymentLines(lines: number, recurring: number): void {
  if (recurring > 0) {
    throw invalid(
      'You specified `payment` mode but passed a recurring price. ' +
        'Either switch to `subscription` mode or use only one-time prices.',
      'mode',
    );
  }
  if (lines > linesMax)
    throw invalid(`You can specify at most ${linesMax} line items in \`payment\` mode.`, 'line_items');
}

function checkSubscriptionLines(oneTime: number, recurring: readonly Recurring[]): void {
  if (recurring.length === 0) {
    throw invalid(
      'You must provide at least one recurring price in `subscription` mode when using prices.',
      'line_items',
    );
  }
  for (const [count, kind] of [
    [recurring.length, 'recurring'],
    [oneTime, 'one-time'],
  ] as const) {
    if (count > linesMaxOfAKind) {
      throw invalid(
        `You can specify at most ${linesMaxOfAKind} ${kind} line items in \`subscription\` mode.`,
        'line_items',
      );
    }
  }
  const rhythms = new Set(recurring.map(({ interval, interval_count: count }) => `${count} ${interval}`));
  if (rhythms.size > 1) {
    throw invalid('Checkout does not support multiple prices with different billing intervals.', 'line_items');
  }
}

function checkLine(account: Account, line: LineItemParams, path: string): Line {
  const { price: id, price_data: data, quantity } = line;
  if ((id === undefined) === (data === undefined)) throw oneOf(['price', 'price_data'], path);
  if (quantity === undefined) {
    throw invalid('Quantity is required. Add `quantity` to each line item.', `${path}[quantity]`, 'parameter_missing');
  }
  if (quantity < 1) {
    throw invalid('This value must be greater than or equal to 1.', `${path}[quantity]`, 'parameter_invalid_integer');
  }
  if (id !== undefined) return account.prices.need(id, `${path}[price]`);
  if (!data) throw missing(`${path}[price_data]`);
  return checkPriceData(account, data, `${path}[price_data]`);
}

/** Reject invalid inline price data. */
export function checkPriceData(account: Account, data: PriceData, path: string): Line {
  const currency = data.currency.toLowerCase();
  if (!isCurrency(currency)) throw invalid(`Invalid currency: ${data.currency}`, `${path}[currency]`);
  if ((data.product === undefined) === (data.product_data === undefined))
    throw oneOf(['product', 'product_data'], path);
  if (data.product !== undefined) account.products.need(data.product, `${path}[product]`);
  if ((data.product_data?.images?.length ?? 0) > 8) {
    throw invalid('You can pass at most 8 images.', `${path}[product_data][images]`);
  }
  checkAmount(data, path);
  if (!data.recurring) return { currency, recurring: null };
  const { interval, interval_count: count = 1 } = data.recurring;
  if (count < 1 || count > longestInterval[interval]) {
    throw invalid('The maximum billing interval is three years.', `${path}[recurring][interval_count]`);
  }
  return { currency, recurring: { interval, interval_count: count } };
}

function checkAmount({ unit_amount: whole, unit_amount_decimal: decimal }: PriceData, path: string): void {
  if ((whole === undefined) === (decimal === undefined)) throw oneOf(['unit_amount', 'unit_amount_decimal'], path);
  const amount = whole ?? Number(decimal);
  const param = `${path}[${whole === undefined ? 'unit_amount_decimal' : 'unit_amount'}]`;
  if (amount < 0) throw invalid('Invalid non-negative integer', param, 'parameter_invalid_integer');
  if (amount > maximumCharge) throw invalid(`Amount must be no more than ${maximumCharge}.`, param, 'amount_too_large');
}
