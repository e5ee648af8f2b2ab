import type { Import, Query } from '@storefront-commerce/client';
import { BooleanInput, RadioButtonGroupInput, required } from 'react-admin';
import { useNavigate } from 'react-router';

import { Action } from '../../lib/action.tsx';
import { choicesOf } from '../../lib/format.ts';
import { SelectInput } from '../../lib/inputs.tsx';
import { FileInput } from './file-input.tsx';
import { FormatInput } from './format-input.tsx';
import { importScopes } from './kinds.ts';
import { uploadImport } from './upload-import.ts';
import { useKinds } from './use-kinds.ts';

type Input = Query<'admin.createImport'> & { readonly file: File };

export function NewImport() {
  const kinds = useKinds(importScopes);
  const navigate = useNavigate();
  if (kinds.length === 0) return null;
  return (
    <Action<Input, Import>
      label="New import"
      title="Import a file"
      submit="Send the file"
      variant="contained"
      text="A file of at most 200 MB. Once it is uploaded, you can leave the page: it is imported in the background. This cannot be undone."
      input={{ format: 'csv', mode: 'upsert', dry_run: true }}
      run={({ file, ...query }, options) => uploadImport(file, query, options)}
      onDone={({ id }) => navigate(`/imports/${id}/show`)}
      done="File uploaded."
    >
      <SelectInput source="kind" label="Contents" choices={choicesOf(kinds)} validate={required()} />
      <FileInput source="file" label="Choose a file" accept=".csv,.tsv,.txt,.jsonl,.ndjson" />
      <FormatInput />
      <RadioButtonGroupInput
        source="mode"
        label="Existing records"
        row={false}
        choices={[
          { id: 'upsert', name: 'Update them (gift cards and orders stay unchanged)' },
          { id: 'create', name: 'Reject them' },
        ]}
      />
      <BooleanInput
        source="dry_run"
        label="Only check the file"
        helperText="Shows what would change without changing anything"
      />
    </Action>
  );
}
