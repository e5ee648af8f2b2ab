import { toDecimal } from '#src/lib/currency.ts';
import { escapeHtml } from '#src/lib/html.ts';
import type { CatalogProduct, CatalogVariant } from '../../catalog/index.ts';
import type { Context } from '../../context.ts';
import type { TableOfObjects } from '../export-kind.ts';
import { gramsPerOunce } from '../kinds/shopify-table.ts';

type ExportedVariant = Omit<CatalogVariant, 'id' | 'removed'>;
interface ExportedProduct extends Omit<CatalogProduct, 'id' | 'variants'> {
  readonly slug: string;
  readonly variants: readonly ExportedVariant[];
}

type Row = Readonly<Record<string, string | number | boolean>>;

/** As many as Shopify has. */
const optionNumbers = [1, 2, 3] as const;

/** The file that Shopify's administration reads, and that the import `shopify` reads back. */
export const shopifyProducts: TableOfObjects = {
  columns: [
    'Handle',
    'Title',
    'Body (HTML)',
    'Vendor',
    'Type',
    'Tags',
    'Published',
    ...optionNumbers.flatMap((number) => [`Option${number} Name`, `Option${number} Value`]),
    'Variant SKU',
    'Variant Grams',
    'Variant Inventory Tracker',
    'Variant Inventory Qty',
    'Variant Inventory Policy',
    'Variant Fulfillment Service',
    'Variant Price',
    'Variant Compare At Price',
    'Variant Requires Shipping',
    'Variant Taxable',
    'Image Src',
    'Image Position',
    'Image Alt Text',
    'Gift Card',
    'Status',
  ],
  rowsOf(object, ctx) {
    const product = object as unknown as ExportedProduct;
    const { variants, images } = product;
    const optionNames = [...new Set(variants.flatMap(({ options }) => Object.keys(options)))];
    return Array.from({ length: Math.max(variants.length, images.length) }, (_, index) => ({
      Handle: product.slug,
      ...(index === 0 && productCells(product, ctx, optionNames)),
      ...variantCells(product, variants[index], ctx, optionNames),
      ...imageCells(images[index], index),
    }));
  },
};

function productCells(
  { name, description, category, tags, status }: ExportedProduct,
  { tenant }: Pick<Context, 'tenant'>,
  optionNames: readonly string[],
): Row {
  const named = optionNumbers.map((number, index): [string, string] => [
    `Option${number} Name`,
    optionNames[index] ?? (index === 0 ? 'Title' : ''),
  ]);
  return {
    Title: name,
    'Body (HTML)': escapeHtml(description).replaceAll(/\r?\n/g, '<br>'),
    Vendor: tenant.name,
    Type: category ?? '',
    Tags: tags.join(', '),
    Published: status === 'published' ? 'TRUE' : 'FALSE',
    ...Object.fromEntries(named),
    'Gift Card': 'FALSE',
    Status: status === 'published' ? 'active' : 'draft',
  };
}

/** Without options, the only variant of a product has the title that Shopify gives it, and one of several its name. */
function variantCells(
  { variants }: ExportedProduct,
  variant: ExportedVariant | undefined,
  { tenant }: Pick<Context, 'tenant'>,
  optionNames: readonly string[],
): Row {
  if (!variant) return {};
  const { options, weight_oz: ounces, stock, compare_at_cents: compareAt } = variant;
  const title = variants.length === 1 ? 'Default Title' : variant.name;
  const values = optionNumbers.map((number, index): [string, string] => {
    const name = optionNames[index];
    return [`Option${number} Value`, name === undefined ? (index === 0 ? title : '') : (options[name] ?? '')];
  });
  return {
    ...Object.fromEntries(values),
    'Variant SKU': variant.sku,
    'Variant Grams': ounces === null ? '' : Math.round(ounces * gramsPerOunce * 100) / 100,
    'Variant Inventory Tracker': stock === null ? '' : 'shopify',
    'Variant Inventory Qty': stock ?? '',
    'Variant Inventory Policy': variant.backorder ? 'continue' : 'deny',
    'Variant Fulfillment Service': 'manual',
    'Variant Price': toDecimal(variant.price_cents, tenant.currency),
    'Variant Compare At Price': compareAt === null ? '' : toDecimal(compareAt, tenant.currency),
    'Variant Requires Shipping': variant.ships ? 'TRUE' : 'FALSE',
    'Variant Taxable': 'TRUE',
  };
}

function imageCells(image: ExportedProduct['images'][number] | undefined, index: number): Row {
  return image ? { 'Image Src': image.url, 'Image Position': index + 1, 'Image Alt Text': image.alt ?? '' } : {};
}
