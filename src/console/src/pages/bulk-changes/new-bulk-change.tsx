import Typography from '@mui/material/Typography';
import type { Body, Result } from '@storefront-commerce/client';
import type { ReactNode } from 'react';
import { FormDataConsumer, required } from 'react-admin';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { SelectInput } from '../../lib/inputs.tsx';
import { useKinds } from '../files/use-kinds.ts';
import { ChangeInputs, FilterInputs } from './change-inputs.tsx';
import { type ChangeKind, changeNames, changeScopes } from './kinds.ts';

type Input = Body<'admin.previewBulkChange'>;

interface NewBulkChangeProps {
  readonly label: string;
  readonly variant?: 'outlined' | 'contained';
  /** Default: every kind. */
  readonly of?: readonly ChangeKind[];
  /** What is selected to begin with. */
  readonly filter?: Input['filter'];
}

/** A button that previews a change of many things, and opens the preview. */
export function NewBulkChange({ label, variant = 'outlined', of, filter = {} }: NewBulkChangeProps): ReactNode {
  const allowed = useKinds(changeScopes);
  const navigate = useNavigate();
  const kinds = Object.entries(changeNames).filter(
    ([kind]) => allowed.includes(kind) && (of === undefined || of.some((name) => name === kind)),
  );
  if (kinds.length === 0) return null;
  return (
    <Action<Input, Result<'admin.previewBulkChange'>>
      label={label}
      variant={variant}
      submit="Preview"
      title="Change many at once"
      text="You first see what would change. Nothing changes until you run it."
      input={{ filter }}
      run={({ kind, filter, change }) =>
        admin.previewBulkChange({ kind, filter: given(filter), change: given(change) })
      }
      onDone={({ bulk_change: { id } }) => navigate(`/bulk-changes/${id}/show`)}
      done="This is what would change."
    >
      <SelectInput
        source="kind"
        label="What to do"
        choices={kinds.map(([id, name]) => ({ id, name }))}
        validate={required()}
      />
      <FormDataConsumer<Input>>
        {({ formData: { kind } }) =>
          kind && (
            <>
              <Heading>Which</Heading>
              <FilterInputs kind={kind} />
              <Heading>How</Heading>
              <ChangeInputs kind={kind} />
            </>
          )
        }
      </FormDataConsumer>
    </Action>
  );
}

function Heading({ children }: { readonly children: string }) {
  return (
    <Typography variant="subtitle1" component="h3" sx={{ mb: 1 }}>
      {children}
    </Typography>
  );
}

/** What was filled in. */
function given<Fields extends object>(fields: Fields | undefined): Fields {
  const isFilled = (value: unknown) =>
    value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => isFilled(value))) as Fields;
}
