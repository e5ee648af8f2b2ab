import ExpandMore from '@mui/icons-material/ExpandMore';
import ButtonBase from '@mui/material/ButtonBase';
import type { ManagedProduct } from '@storefront-commerce/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { BooleanInput, required, useSimpleFormIteratorItem, useWrappedSource } from 'react-admin';
import { get, useFormContext, useFormState, useWatch } from 'react-hook-form';

import { DecimalInput } from '../../lib/decimal-input.tsx';
import { formatMoney } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { ListInput } from '../../lib/list-input.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { readOptions, type VariantWithText } from './options.ts';

/** So many variants show their inputs. Of more, each is a line that shows them once it is opened. */
const openMax = 5;

const labels = {
  sku: 'SKU',
  name: 'Name',
  options: 'Options',
  price_cents: 'Price',
  compare_at_cents: 'Was',
  subscription_price_cents: 'Subscription price',
  weight_oz: 'Weight (oz)',
  stock: 'Stock',
  low_stock_at: 'Low stock at',
  ships: 'Ships',
  backorder: 'Sell without stock',
} as const;

/** The label of an input, such as `variants.0.sku`, also while its variant is closed. */
export const labelOfVariantInput = (source: string): string | undefined =>
  new Map(Object.entries(labels)).get(source.replace(/^variants\.\d+\./, ''));

/** What has no value would get that of a variant that was removed. */
const newVariant = { ...Object.fromEntries(Object.keys(labels).map((field) => [field, null])), ships: true };

const areOptions = (text: string | null | undefined) =>
  readOptions(text) ? undefined : 'Write them like Size=Small; Color=Red, each name once.';

interface Props {
  readonly currency: string;
  /** Without one, it is new. One that exists has a form of its own for its stock. */
  readonly product?: ManagedProduct | undefined;
  /** Which variants are open: stays, when the form begins again. */
  readonly opened: boolean[];
}

export function VariantsInput(props: Props) {
  return (
    <ListInput
      source="variants"
      label="Variants"
      item="variant"
      add="Add a variant"
      validate={required()}
      getItemDefaults={() => newVariant}
      sx={buttonsBesideLines}
    >
      <Variant {...props} />
    </ListInput>
  );
}

/** A line that is closed has its buttons beside it, also in a narrow window. */
const buttonsBesideLines = {
  '& > ul:has([aria-expanded])': { mt: 1 },
  '& .RaSimpleFormIterator-line:has([aria-expanded=false])': { display: 'flex' },
};

interface WrittenVariant extends VariantWithText {
  readonly id?: string;
  readonly sku?: string | null;
  readonly name?: string | null;
  readonly price_cents?: number | null;
  readonly stock?: number | null;
}

/** A variant that is closed is valid: it is not closed before, and it opens when the service rejects it. */
function Variant({ currency, product, opened }: Props) {
  const { index, total } = useSimpleFormIteratorItem();
  const source = useWrappedSource('');
  const { getValues, trigger } = useFormContext();
  const variant: WrittenVariant = getValues(source) ?? {};
  const [isOpen, setOpen] = useState(() => variant.id === undefined || (opened[index] ?? total <= openMax));
  useEffect(() => {
    opened[index] = isOpen;
  });
  const { errors, isSubmitted } = useFormState({ name: source });
  const error: unknown = get(errors, source);
  useEffect(() => {
    if (error) setOpen(true);
  }, [error]);
  const written: unknown = useWatch({ name: source, disabled: !isOpen });
  const validate = useEffectEvent(() => {
    if (error && !isSubmitted) trigger(source);
  });
  useEffect(() => {
    // Of a form that was not sent, nothing is validated while it is corrected.
    if (written) validate();
  }, [written]);
  const toggle = async () => setOpen(!isOpen || !(await trigger(source, { shouldFocus: true })));
  return (
    <>
      {(total > openMax || !isOpen) && (
        <ButtonBase aria-expanded={isOpen} onClick={toggle} sx={line}>
          <ExpandMore fontSize="small" />
          <Summary variant={variant} currency={currency} product={product} />
        </ButtonBase>
      )}
      {isOpen && (
        <>
          <TextInput source="sku" label={labels.sku} validate={required()} />
          <TextInput source="name" label={labels.name} />
          <TextInput
            source="options"
            label={labels.options}
            helperText="For example Size=Small; Color=Red"
            validate={areOptions}
          />
          <MoneyInput source="price_cents" label={labels.price_cents} currency={currency} validate={required()} />
          <MoneyInput source="compare_at_cents" label={labels.compare_at_cents} currency={currency} />
          <MoneyInput source="subscription_price_cents" label={labels.subscription_price_cents} currency={currency} />
          <DecimalInput source="weight_oz" label={labels.weight_oz} decimals={3} min={0} />
          {!product && (
            <DecimalInput
              source="stock"
              label={labels.stock}
              min={0}
              helperText="Leave empty if the stock is not tracked"
            />
          )}
          <DecimalInput source="low_stock_at" label={labels.low_stock_at} min={0} />
          <BooleanInput source="ships" label={labels.ships} defaultValue />
          <BooleanInput source="backorder" label={labels.backorder} />
        </>
      )}
    </>
  );
}

/** What tells a variant from the others. */
function Summary({ variant, currency, product }: { readonly variant: WrittenVariant } & Omit<Props, 'opened'>) {
  const options = Object.values(readOptions(variant.options) ?? {}).join(', ');
  const { stock } = product ? (product.variants.find(({ id }) => id === variant.id) ?? {}) : variant;
  return (
    <>
      <span>{options || variant.name}</span>
      <span>{variant.sku}</span>
      <span>{typeof variant.price_cents === 'number' && formatMoney(variant.price_cents, currency)}</span>
      <span>{typeof stock === 'number' ? `${stock} on hand` : 'Not tracked'}</span>
    </>
  );
}

/** Texts in columns, of which a narrow window has room for two. */
const line = {
  flexBasis: '100% !important',
  display: 'grid',
  gridTemplateColumns: { xs: 'auto 1fr 1fr', sm: 'auto 2fr 2fr 1fr 1fr' },
  columnGap: { xs: 1, sm: 2 },
  justifyItems: 'start',
  textAlign: 'start',
  typography: 'body2',
  overflowWrap: 'anywhere',
  py: 1,
  '&:hover': { bgcolor: 'action.hover' },
  '& > svg': { gridRow: { xs: 'span 2', sm: 'auto' } },
  '&[aria-expanded=true] > svg': { transform: 'rotate(180deg)' },
} as const;
