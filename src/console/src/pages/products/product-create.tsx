import type { Body, Result } from '@storefront-commerce/client';
import { useState } from 'react';
import { required } from 'react-admin';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { EditForm } from '../../lib/edit-form.tsx';
import { Panel } from '../../lib/facts.tsx';
import { TextInput } from '../../lib/inputs.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { useSession } from '../../session/session.ts';
import { type VariantWithText, withOptions } from './options.ts';
import { ProductInputs } from './product-inputs.tsx';
import { labelOfVariantInput } from './variants-input.tsx';

type ProductBody = Body<'admin.createProduct'>;
type NewVariant = Omit<ProductBody['variants'][number], 'options'> & VariantWithText;
type NewProduct = Omit<ProductBody, 'variants'> & { readonly variants: readonly NewVariant[] };

export function ProductCreate() {
  const navigate = useNavigate();
  const [opened] = useState<boolean[]>([]);
  const currency = useSession()?.store.currency;
  if (!currency) return null;
  return (
    <>
      <PageHeading title="New product" />
      <Panel title="Product">
        <EditForm<NewProduct, Result<'admin.createProduct'>>
          input={{ status: 'draft', variants: [{ sku: '' }] }}
          run={({ variants, ...input }) => admin.createProduct({ ...input, variants: withOptions(variants) })}
          onDone={({ product }) => navigate(`/products/${product.slug}/show`, { replace: true })}
          done="Product created."
          hiddenLabelOf={labelOfVariantInput}
          label="Create"
        >
          <TextInput
            source="slug"
            label="Slug"
            helperText="The end of its URL, such as oak-bowl"
            validate={required()}
          />
          <ProductInputs currency={currency} opened={opened} />
        </EditForm>
      </Panel>
    </>
  );
}
