import type { Body, ManagedProduct } from '@storefront-commerce/client';
import { useState } from 'react';

import { admin } from '../../admin.ts';
import { Panel } from '../../lib/facts.tsx';
import { VersionedForm } from '../../lib/versioned-form.tsx';
import { useScope } from '../../session/session.ts';
import { withOptions, writeOptions } from './options.ts';
import { ProductInputs } from './product-inputs.tsx';
import { labelOfVariantInput } from './variants-input.tsx';

interface Props {
  readonly product: ManagedProduct;
}

/** The product as it can be edited. */
export function ProductForm({ product }: Props) {
  const { slug } = product;
  const [opened] = useState<boolean[]>([]);
  if (!useScope('admin.catalog:write')) return null;
  return (
    <Panel title="Product">
      <VersionedForm
        thing={product}
        inputOf={inputOf}
        read={async () => (await admin.getProduct(slug)).product}
        replace={async ({ variants, ...input }) =>
          (await admin.replaceProduct(slug, { ...input, variants: withOptions(variants) })).product
        }
        done="Product saved."
        hiddenLabelOf={labelOfVariantInput}
      >
        <ProductInputs currency={product.currency} product={product} opened={opened} />
      </VersionedForm>
    </Panel>
  );
}

/**
 * The stock has a form of its own: one that is saved with the product would undo what was sold meanwhile. A variant
 * without a name of its own has that of the product, also once that is another one.
 */
function inputOf({ name, description, category, tags, status, images, ...product }: ManagedProduct) {
  return {
    name,
    description,
    category,
    tags,
    status,
    images: images.map(({ position: _, ...image }) => image),
    purchase_types: product.purchase_types,
    subscription_intervals: product.subscription_intervals,
    variants: product.variants.map(({ stock_status: _status, stock: _stock, stock_held: _held, ...variant }) => ({
      ...variant,
      name: variant.name === name ? null : variant.name,
      options: writeOptions(variant.options),
    })),
  } satisfies Partial<Record<keyof Body<'admin.replaceProduct'>, unknown>>;
}
