import { invalidRequest } from '#src/lib/errors.ts';
import { closed } from '#src/lib/schema.ts';
import { completeInputs, ProductPatch, saveProducts, validProduct } from '../../catalog/index.ts';
import { defineImportKind } from '../import-kind.ts';
import { productTable } from './product-table.ts';
import { shopifyTable } from './shopify-table.ts';

const Patch = closed(ProductPatch);

/** Products with their variants. What a file leaves out of an existing product stays as it is. */
export const importProducts = defineImportKind({
  name: 'products',
  area: 'catalog',
  tables: { csv: productTable, shopify: shopifyTable },
  schema: Patch,
  auditedAs: 'product',
  async save(ctx, patches, mode) {
    const slugs = new Set(patches.map(({ slug }) => slug));
    // The second one completes what the first one stored.
    if (slugs.size < patches.length) throw invalidRequest('A product occurs several times.');
    const completed = await completeInputs(ctx, patches);
    const inputs = completed.map(({ input, isNew }) => {
      if (mode === 'create' && !isNew) throw invalidRequest('A product with this slug already exists.');
      return validProduct(input);
    });
    return saveProducts(ctx, inputs, {});
  },
});
