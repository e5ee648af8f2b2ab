import { formatCode, formatMoney, formatTime } from '../../lib/format.ts';

/** The prices of a variant, by the labels that they have in the form of a product. */
export const priceNames: Readonly<Record<string, string>> = {
  price_cents: 'Price',
  compare_at_cents: 'Was',
  subscription_price_cents: 'Subscription price',
};

/** What a change is of, as people say it: `variants.BOWL-S.compare_at_cents` is "BOWL-S, Was". */
export function nameOfChanged(path: string): string {
  const [, sku, field = path] = /^variants\.(.*)\.(\w+)$/.exec(path) ?? [];
  return [sku, priceNames[field] ?? formatCode(field.replace(/_cents$/, ''))].filter(Boolean).join(', ');
}

/** A value of what is changed, with amounts in their currency. */
export function describeValue(path: string, value: unknown, currency: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'number' && path.endsWith('_cents')) return formatMoney(value, currency);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return Array.isArray(value) ? value.map((item) => priceNames[item] ?? item).join(', ') || 'None' : String(value);
}

/** By what things are selected: "Status: Published, Category: table". */
export const describeFilter = (filter: Readonly<Record<string, unknown>>): string =>
  Object.entries(filter)
    .map(([name, value]) => `${formatCode(name)}: ${describeCondition(name, String(value))}`)
    .join(', ') || 'All';

function describeCondition(name: string, value: string): string {
  if (name === 'from' || name === 'to') return formatTime(value);
  return name === 'status' || name === 'reason_code' ? formatCode(value) : value;
}

/** Why a change is rejected, with the prices by their labels: "Price of BOWL-S would be below zero." */
export const describeProblem = (problem: string): string =>
  problem.replace(/(?<!\/)\b[a-z_]+_cents\b/g, (field) => priceNames[field] ?? field);
