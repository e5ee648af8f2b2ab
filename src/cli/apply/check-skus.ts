import type { ProductInput } from '#src/domain/catalog/index.ts';
import type { Issue } from '#src/lib/validation.ts';

/** A SKU belongs to one variant of the whole store. */
export function checkSkus(products: readonly (ProductInput | undefined)[]): Issue[] {
  const first = new Map<string, string>();
  return products.flatMap((product, index) =>
    (product?.variants ?? []).flatMap(({ sku }, variant) => {
      const owner = first.get(sku);
      if (owner === undefined) first.set(sku, product?.slug ?? '');
      const path = `/${index}/variants/${variant}/sku`;
      return owner === undefined ? [] : [{ path, code: 'repeated', detail: `is a variant of ${owner} already` }];
    }),
  );
}
