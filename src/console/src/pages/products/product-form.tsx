import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { ApiError, type Body, type ManagedProduct } from '@storefront-commerce/client';
import { useState } from 'react';

import { admin } from '../../admin.ts';
import { EditForm } from '../../lib/edit-form.tsx';
import { Panel } from '../../lib/facts.tsx';
import { Rows } from '../../lib/rows.tsx';
import { useScope } from '../../session/session.ts';
import { ProductInputs } from './product-inputs.tsx';

type Input = Body<'admin.replaceProduct'>;

interface Props {
  readonly product: ManagedProduct;
}

/** A version of the product that somebody else saved meanwhile, and what to do about it. */
interface Conflict {
  readonly theirs: ManagedProduct;
  readonly mine: Input;
  readonly decide: (isMine: boolean) => void;
}

/** The product as it can be edited. What is read again while someone edits does not change the form. */
export function ProductForm({ product }: Props) {
  const [base, setBase] = useState(product);
  const [conflict, setConflict] = useState<Conflict>();
  if (!useScope('admin.catalog:write')) return null;

  const save = async (mine: Input, { version } = base): Promise<ManagedProduct> => {
    try {
      const { product: saved } = await admin.replaceProduct(base.slug, { ...mine, version });
      setBase(saved);
      return saved;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'version_conflict')) throw error;
      const { product: theirs } = await admin.getProduct(base.slug);
      const isMine = await new Promise<boolean>((decide) => setConflict({ theirs, mine, decide }));
      setConflict(undefined);
      setBase(theirs);
      return isMine ? save(mine, theirs) : theirs;
    }
  };
  return (
    <Panel title="Product">
      <EditForm<Input>
        key={base.version}
        input={inputOf(base)}
        run={(mine) => save(mine)}
        done="The product is up to date."
      >
        <ProductInputs currency={base.currency} />
      </EditForm>
      {conflict && <ConflictDialog {...conflict} />}
    </Panel>
  );
}

function ConflictDialog({ theirs, mine, decide }: Conflict) {
  const differences = differencesOf(inputOf(theirs), mine);
  return (
    <Dialog open fullWidth maxWidth="md" aria-labelledby="conflict-title">
      <DialogTitle id="conflict-title">Someone else changed this product meanwhile</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>Choose the version to use.</DialogContentText>
        <Rows
          label="Differences"
          rows={differences}
          keyOf={({ field }) => field}
          empty="Both versions are the same."
          columns={[
            { label: 'Field', show: ({ field }) => field },
            { label: 'Theirs', show: ({ theirs }) => theirs },
            { label: 'Yours', show: ({ mine }) => mine },
          ]}
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={() => decide(false)}>Use theirs</Button>
        <Button variant="contained" onClick={() => decide(true)}>
          Save yours
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** The stock has a form of its own: one that is saved with the product would undo what was sold meanwhile. */
function inputOf({ name, description, category, tags, status, images, ...product }: ManagedProduct): Input {
  return {
    name,
    description,
    category,
    tags,
    status,
    images: images.map(({ position: _, ...image }) => image),
    purchase_types: product.purchase_types,
    subscription_intervals: product.subscription_intervals,
    variants: product.variants.map(
      ({ id: _, stock_status: _status, stock: _stock, stock_held: _held, ...variant }) => variant,
    ),
  };
}

interface Difference {
  readonly field: string;
  readonly theirs: string;
  readonly mine: string;
}

function differencesOf(theirs: Input, mine: Input): Difference[] {
  const fields = Object.keys(theirs) as (keyof Input)[];
  return fields
    .map((field) => ({ field, theirs: describe(theirs[field]), mine: describe(mine[field]) }))
    .filter((difference) => difference.theirs !== difference.mine);
}

const describe = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
