import type { Body, Result } from '@storefront-commerce/client';
import { required, TextInput } from 'react-admin';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { EditForm } from '../../lib/edit-form.tsx';
import { Panel } from '../../lib/facts.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { useSession } from '../../session/session.ts';
import { ProductInputs } from './product-inputs.tsx';

export function ProductCreate() {
  const navigate = useNavigate();
  const currency = useSession()?.store.currency;
  if (!currency) return null;
  return (
    <>
      <PageHeading title="New product" />
      <Panel title="Product">
        <EditForm<Body<'admin.createProduct'>, Result<'admin.createProduct'>>
          input={{ status: 'draft', variants: [{ sku: '' }] }}
          run={(input) => admin.createProduct(input)}
          onDone={({ product }) => navigate(`/products/${product.slug}/show`)}
          done="The product is created."
          label="Create"
        >
          <TextInput source="slug" label="Slug" helperText="The end of its URL, as in oak-bowl" validate={required()} />
          <ProductInputs currency={currency} isNew />
        </EditForm>
      </Panel>
    </>
  );
}
