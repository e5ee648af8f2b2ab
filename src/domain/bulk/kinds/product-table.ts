import { invalidRequest } from '#src/lib/errors.ts';
import { optionPairs } from '#src/lib/option-pairs.ts';
import type { Row, TableFormat } from '../import-kind.ts';
import { definedFields, filledCells, filledNumbers, flagIn, jsonIn, listIn } from './cells.ts';

const ofProduct = ['name', 'description', 'category', 'status'] as const;
const listsOfProduct = ['tags', 'images', 'purchase_types', 'subscription_intervals'] as const;
const numbersOfVariant = [
  'price_cents',
  'compare_at_cents',
  'subscription_price_cents',
  'weight_oz',
  'stock',
  'low_stock_at',
] as const;

/** Our own table: a row for each variant. What describes the product stands in its first row, or in all of them. */
export const productTable: TableFormat = {
  required: ['slug'],
  optional: [
    ...ofProduct,
    ...listsOfProduct,
    'sku',
    ...numbersOfVariant,
    'variant_name',
    'options',
    'ships',
    'backorder',
  ],
  otherColumns: 'rejected',
  identifiers: ['sku'],
  groupedBy: 'slug',
  columnsOf: { 'variants/name': 'variant_name' },
  valueOf(rows) {
    const [first = {}] = rows;
    for (const column of [...ofProduct, ...listsOfProduct]) checkIsSame(column, rows);
    const variants = rows.map(variantOf).filter((variant) => Object.keys(variant).length > 0);
    return definedFields({
      slug: first['slug'],
      ...filledCells(first, ofProduct),
      tags: listIn(first['tags'], /,/),
      images: imagesIn(first['images'] ?? ''),
      purchase_types: listIn(first['purchase_types']),
      subscription_intervals: listIn(first['subscription_intervals']),
      variants: variants.length > 0 ? variants : undefined,
    });
  },
};

/**
 * Which one is meant, the first or another one that was edited, nobody knows.
 * @throws DomainError `invalid_request`
 */
function checkIsSame(column: string, [first, ...others]: readonly Row[]): void {
  if (others.every((row) => !row[column] || row[column] === first?.[column])) return;
  throw invalidRequest(`Rows of one product differ in ${column}.`, {
    path: `/${column}`,
    code: 'different',
    detail: 'must be the same in all rows of a product, or stand in its first row only',
  });
}

function variantOf(row: Row): Record<string, unknown> {
  return definedFields({
    ...filledCells(row, ['sku']),
    ...filledNumbers(row, numbersOfVariant),
    name: row['variant_name'] || undefined,
    options: optionsIn(row['options'] ?? ''),
    ships: flagIn(row['ships']),
    backorder: flagIn(row['backorder']),
  });
}

/** URLs between spaces, or JSON with their alternative texts and sizes. */
function imagesIn(cell: string): unknown {
  if (cell.startsWith('[')) return jsonIn('images', cell);
  return cell === '' ? undefined : cell.split(/\s+/).map((url) => ({ url }));
}

/** `Size=Small; Color=Red`, or JSON. */
function optionsIn(cell: string): unknown {
  if (cell.startsWith('{')) return jsonIn('options', cell);
  if (cell === '') return undefined;
  return Object.fromEntries(optionPairs(cell).map(([name, value = '']) => [name, value]));
}
