import type { Body, Export, Result } from '@storefront-commerce/client';
import { required } from 'react-admin';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { choicesOf, formatCode, formatCount, formatTime } from '../../lib/format.ts';
import { SelectInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { State } from '../../lib/texts.tsx';
import { TimeInput } from '../../lib/time-input.tsx';
import { FormatInput } from './format-input.tsx';
import { exportScopes } from './kinds.ts';
import { useKinds } from './use-kinds.ts';

export function ExportList() {
  return (
    <Listing<Export>
      title="Exports"
      actions={<NewExport />}
      linkOf={({ id }) => `/exports/${id}/show`}
      empty="Files that you export, such as orders or products, appear here. Start with New export."
      columns={[
        { label: 'What', show: ({ kind }) => formatCode(kind) },
        { label: 'State', show: ({ state }) => <State code={state} /> },
        { label: 'Rows', align: 'right', show: ({ rows }) => rows !== null && formatCount(rows) },
        { label: 'From', show: ({ from }) => from && formatTime(from) },
        { label: 'Until', show: ({ to }) => to && formatTime(to) },
        { label: 'Requested', show: ({ created_at }) => formatTime(created_at) },
      ]}
    />
  );
}

function NewExport() {
  const kinds = useKinds(exportScopes);
  const navigate = useNavigate();
  if (kinds.length === 0) return null;
  return (
    <Action<Body<'admin.createExport'>, Result<'admin.createExport'>>
      label="New export"
      title="Export to a file"
      submit="Export"
      variant="contained"
      text={
        'The file is written in the background, and can be downloaded for a day. Its amounts are in the smallest unit ' +
        'of their currency, such as cents of USD and yen of JPY, and its times in UTC.'
      }
      input={{ format: 'csv' }}
      run={(input, options) => admin.createExport(input, options)}
      onDone={(result) => navigate(`/exports/${result.export.id}/show`)}
      done="Export requested."
    >
      <SelectInput source="kind" label="What" choices={choicesOf(kinds)} validate={required()} />
      <FormatInput />
      <TimeInput source="from" label="From" helperText="Leave empty to start at the beginning" />
      <TimeInput source="to" label="Until" helperText="Leave empty to end now" />
    </Action>
  );
}
