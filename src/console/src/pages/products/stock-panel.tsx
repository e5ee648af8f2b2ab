import Box from '@mui/material/Box';
import type { ManagedProduct, ManagedVariant } from '@storefront-commerce/client';
import { useState } from 'react';
import { RadioButtonGroupInput, required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { DecimalInput } from '../../lib/decimal-input.tsx';
import { Panel } from '../../lib/facts.tsx';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { StockHistory } from './stock-history.tsx';

/** What is on hand of each variant, and its correction. */
export function StockPanel({ product: { variants } }: { readonly product: ManagedProduct }) {
  return (
    <Panel title="Stock">
      <Rows
        label="Stock"
        rows={variants}
        keyOf={({ id }) => id}
        columns={[
          { label: 'SKU', show: ({ sku }) => sku },
          { label: 'Variant', show: ({ name }) => name },
          { label: 'Status', show: ({ stock_status }) => <State code={stock_status} /> },
          { label: 'On hand', align: 'right', show: ({ stock }) => stock ?? 'Not tracked' },
          { label: 'Held by checkouts', align: 'right', show: ({ stock_held }) => stock_held },
          {
            label: 'Change',
            show: (variant) => (
              <Box sx={{ display: 'flex', gap: 1 }}>
                <ChangeStock variant={variant} />
                <StockHistory variant={variant} />
              </Box>
            ),
          },
        ]}
      />
    </Panel>
  );
}

interface StockInput {
  readonly kind: 'change' | 'quantity';
  readonly number: number;
  /** What was on hand when the form was opened. */
  readonly shown: number | null;
}

/** A correction may be negative, what was counted may not. */
const isCounted = (number: number, { kind }: Partial<StockInput>) =>
  kind === 'quantity' && number < 0 ? 'At least 0.' : undefined;

function ChangeStock({ variant: { id, sku, stock } }: { readonly variant: ManagedVariant }) {
  // The product is read again while the form is open.
  const [shown, setShown] = useState(stock);
  const meanwhile =
    stock === shown ? '' : ' That has changed meanwhile: close this form before you enter what was counted.';
  return (
    <Action<StockInput>
      label="Change"
      title={`Change the stock of ${sku}`}
      scope="admin.catalog:write"
      text={(shown === null ? 'It is not tracked yet.' : `${shown} are on hand.`) + meanwhile}
      input={{ kind: shown === null ? 'quantity' : 'change', shown }}
      onOpen={() => setShown(stock)}
      run={({ kind, number, shown }, options) =>
        admin.changeStock(
          // A counted quantity replaces the one that was shown, and no later one.
          {
            items: [
              kind === 'change'
                ? { variant_id: id, change: number }
                : { variant_id: id, quantity: number, if_quantity: shown },
            ],
          },
          options,
        )
      }
      done="Stock changed."
    >
      {shown !== null && (
        <RadioButtonGroupInput
          source="kind"
          label="Correct it by"
          row={false}
          choices={[
            { id: 'change', name: 'what came or went' },
            { id: 'quantity', name: 'what was counted' },
          ]}
        />
      )}
      <DecimalInput
        source="number"
        label="Number"
        helperText={shown !== null && 'Negative to remove'}
        validate={[required(), isCounted]}
      />
    </Action>
  );
}
