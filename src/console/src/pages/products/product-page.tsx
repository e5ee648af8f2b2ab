import type { ManagedProduct } from '@storefront-commerce/client';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { State } from '../../lib/texts.tsx';
import { ProductForm } from './product-form.tsx';
import { StockPanel } from './stock-panel.tsx';

export function ProductPage() {
  return <RecordPage<ManagedProduct>>{(product) => <Product product={product} />}</RecordPage>;
}

function Product({ product }: { readonly product: ManagedProduct }) {
  return (
    <>
      <PageHeading title={product.name} actions={<DeleteProduct product={product} />}>
        <State code={product.status} />
      </PageHeading>
      <StockPanel product={product} />
      <ProductForm product={product} />
    </>
  );
}

function DeleteProduct({ product: { slug, name } }: { readonly product: ManagedProduct }) {
  const navigate = useNavigate();
  return (
    <Action
      label="Delete"
      title={`Delete ${name}`}
      color="error"
      scope="admin.catalog:write"
      text="Shoppers no longer see it, and where it is in a cart, it is out of stock. Orders keep what was bought."
      run={() => admin.deleteProduct(slug)}
      onDone={() => navigate('/products', { replace: true })}
      done="Product deleted."
    />
  );
}
