import type { ManagedProduct } from '@storefront-commerce/client';
import { SearchInput } from 'react-admin';
import { choicesOf, formatMoney } from '../../lib/format.ts';
import { SelectInput } from '../../lib/inputs.tsx';
import { LinkButton } from '../../lib/link-button.tsx';
import { Listing } from '../../lib/listing.tsx';
import { State } from '../../lib/texts.tsx';
import { productChanges } from '../bulk-changes/kinds.ts';
import { NewBulkChange } from '../bulk-changes/new-bulk-change.tsx';

const filters = [
  <SearchInput key="q" source="q" placeholder="Name or SKU" alwaysOn />,
  <SelectInput key="status" source="status" label="Status" choices={choicesOf(['published', 'draft'])} alwaysOn />,
];

export function ProductList() {
  return (
    <Listing<ManagedProduct>
      title="Products"
      empty="Products appear here. Create the first one, or import a file."
      filters={filters}
      actions={
        <>
          <LinkButton to="/products/create" label="New product" scope="admin.catalog:write" />
          <NewBulkChange label="Change many" of={productChanges} />
        </>
      }
      linkOf={({ slug }) => `/products/${slug}/show`}
      columns={[
        { label: 'Product', show: ({ name }) => name },
        { label: 'Status', show: ({ status }) => <State code={status} /> },
        { label: 'Category', show: ({ category }) => category },
        { label: 'Variants', align: 'right', show: ({ variants }) => variants.length },
        { label: 'Stock', align: 'right', show: describeStock },
        { label: 'Price', align: 'right', show: (product) => formatMoney(product.price_cents, product.currency) },
      ]}
    />
  );
}

function describeStock({ variants }: ManagedProduct): string {
  const tracked = variants.flatMap(({ stock }) => (stock === null ? [] : [stock]));
  return tracked.length === 0 ? 'Not tracked' : String(tracked.reduce((sum, stock) => sum + stock, 0));
}
