import { isAscii } from 'node:buffer';
import { sha256 } from '#src/lib/crypto.ts';
import { decimalsOf, fromDecimal } from '#src/lib/currency.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { textOfHtml } from '#src/lib/html.ts';
import { normalizeText } from '#src/lib/normalize-text.ts';
import type { Context } from '../../context.ts';
import type { Row, TableFormat } from '../import-kind.ts';
import { definedFields, flagIn, listIn } from './cells.ts';

/**
 * The products of a Shopify store as its administration exports them: a row for each variant and each further image,
 * and what describes the product in the first. https://help.shopify.com/en/manual/products/import-export/using-csv
 */
export const shopifyTable: TableFormat = {
  required: ['Handle', 'Title', 'Variant Price'],
  optional: [],
  otherColumns: 'ignored',
  isOfProgram: true,
  identifiers: ['Variant SKU'],
  groupedBy: 'Handle',
  columnsOf: {
    slug: 'Handle',
    name: 'Title',
    description: 'Body (HTML)',
    category: 'Type',
    tags: 'Tags',
    images: 'Image Src',
    'images/alt': 'Image Alt Text',
    variants: 'Variant Price',
    'variants/sku': 'Variant SKU',
    'variants/name': 'Option1 Value',
    'variants/options': 'Option1 Value',
    'variants/price_cents': 'Variant Price',
    'variants/compare_at_cents': 'Variant Compare At Price',
    'variants/weight_oz': 'Variant Grams',
    'variants/ships': 'Variant Requires Shipping',
    'variants/stock': 'Variant Inventory Qty',
  },
  valueOf(rows, { tenant }) {
    const [first = {}] = rows;
    if (flagIn(first['Gift Card']) === true) {
      throw invalidRequest('A gift card is not a product here. Cards that were issued are imported as gift_cards.');
    }
    const slug = slugOf(first['Handle'] ?? '');
    const images = imagesOf(rows);
    const optionNames = [1, 2, 3].map((number) => first[`Option${number} Name`] ?? '');
    const variants = rows.filter(isVariant).map((row) => variantOf(row, { slug, optionNames, tenant }));
    return definedFields({
      slug,
      name: first['Title'] || undefined,
      description: textOfHtml(first['Body (HTML)'] ?? '') || undefined,
      category: first['Type'] || undefined,
      tags: listIn(first['Tags'], /,/),
      status: statusOf(first),
      images: images.length > 0 ? images : undefined,
      variants: variants.length > 0 ? variants : undefined,
    });
  },
};

const slugCharactersMax = 100;
const digestDigits = 8;

/**
 * A handle may contain other letters and signs, and be longer. Where it loses letters of another script or its end, a
 * digest keeps it apart from others that differ in these.
 */
function slugOf(handle: string): string {
  const unaccented = normalizeText(handle);
  const slug = unaccented.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  if (isAscii(Buffer.from(unaccented)) && slug.length <= slugCharactersMax) return slug;
  const digest = sha256(handle).toString('hex').slice(0, digestDigits);
  const beginning = slug.slice(0, slugCharactersMax - digestDigits - 1).replace(/-$/, '');
  return beginning === '' ? digest : `${beginning}-${digest}`;
}

/** Undefined where the file does not say. */
function statusOf({ Published: published, Status: status }: Row): 'published' | 'draft' | undefined {
  if (!published && !status) return undefined;
  const isPublished = flagIn(published) ?? true;
  if (typeof isPublished === 'string') {
    throw invalidRequest('Published is neither true nor false.', {
      path: '/Published',
      code: 'boolean',
      detail: 'must be true or false',
    });
  }
  return isPublished && (status || 'active').toLowerCase() === 'active' ? 'published' : 'draft';
}

/** The other rows have further images. */
const isVariant = (row: Row): boolean => Boolean(row['Variant Price'] || row['Variant SKU'] || row['Option1 Value']);

/** In the order of their positions. */
function imagesOf(rows: readonly Row[]): { url: string; alt?: string }[] {
  return rows
    .filter((row) => row['Image Src'])
    .toSorted((left, right) => Number(left['Image Position'] || 0) - Number(right['Image Position'] || 0))
    .map((row) => ({ url: row['Image Src'] ?? '', ...(row['Image Alt Text'] && { alt: row['Image Alt Text'] }) }));
}

interface VariantContext extends Pick<Context, 'tenant'> {
  readonly slug: string;
  readonly optionNames: readonly string[];
}

export const gramsPerOunce = 28.349523125;

function variantOf(row: Row, { slug, optionNames, tenant }: VariantContext): Record<string, unknown> {
  const values = [1, 2, 3].map((number) => row[`Option${number} Value`] ?? '');
  const options = optionNames.flatMap((name, index) => (name && values[index] ? [[name, values[index]] as const] : []));
  // What has no options is called so.
  const isOnly = options.every(([name, value]) => name === 'Title' && value === 'Default Title');
  const chosen = isOnly ? [] : options.map(([, value]) => value);
  const policy = row['Variant Inventory Policy'];
  const grams = row['Variant Grams'];
  return definedFields({
    // An identifier that Excel would take for a number is exported with an apostrophe.
    sku: row['Variant SKU']?.replace(/^'(?=\d)/, '') || slugOf([slug, ...chosen].join('-')).toUpperCase(),
    name: isOnly ? undefined : chosen.join(' / '),
    options: isOnly ? undefined : Object.fromEntries(options),
    price_cents: centsIn('Variant Price', row, tenant.currency),
    compare_at_cents: centsIn('Variant Compare At Price', row, tenant.currency),
    weight_oz: grams ? ouncesIn(grams) : undefined,
    ships: flagIn(row['Variant Requires Shipping']),
    // Without a tracker its quantity means nothing. One that was oversold is sold out.
    stock: row['Variant Inventory Tracker'] ? stockIn(row['Variant Inventory Qty'] || '0') : null,
    backorder: policy ? policy.toLowerCase() === 'continue' : undefined,
  });
}

/** What is no number stays a text, which is not valid. */
function ouncesIn(grams: string): number | string | undefined {
  if (!/^\d{1,12}(\.\d{1,12})?$/.test(grams)) return grams;
  return Number(grams) > 0 ? Number(grams) / gramsPerOunce : undefined;
}

/** As above: `1.000` may be one thousand. */
const stockIn = (quantity: string): number | string =>
  /^-?\d{1,9}(\.0)?$/.test(quantity) ? Math.max(0, Number(quantity)) : quantity;

function centsIn(column: string, row: Row, currency: string): number | undefined {
  const text = row[column] ?? '';
  if (text === '') return undefined;
  // With three digits after it, a point may be one of thousands.
  const isAmbiguous = decimalsOf(currency) !== 3 && /\.\d{3}$/.test(text);
  if (isAmbiguous || !/^\d{1,12}(\.\d{1,12})?$/.test(text)) {
    throw invalidRequest(`${column} is not a price.`, {
      path: `/${column}`,
      code: 'price',
      detail: 'must be a number such as 19.99',
    });
  }
  return fromDecimal(text, currency);
}
