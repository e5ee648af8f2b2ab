import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import type { Import } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatCode, formatCount, formatTime } from '../../lib/format.ts';
import { PageHeading } from '../../lib/page-heading.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { importScopes } from './kinds.ts';

export function ImportPage() {
  return <RecordPage<Import>>{(found) => <ImportParts of={found} />}</RecordPage>;
}

interface Props {
  readonly of: Import;
}

function ImportParts({ of: found }: Props) {
  const { kind, dry_run, state, failure, rows } = found;
  return (
    <>
      <PageHeading title={`Import of ${formatCode(kind).toLowerCase()}`}>
        <State code={state} />
      </PageHeading>
      {failure && (
        <Alert severity="error" sx={{ mb: 2 }}>
          {failure}
        </Alert>
      )}
      {dry_run && state === 'completed' && (
        <Alert severity="info" sx={{ mb: 2 }}>
          Nothing was changed: this was a check. Import the file again without it.
        </Alert>
      )}
      <Panel title="Progress" actions={<ImportActions of={found} />}>
        <Progress of={found} />
        <Facts of={factsOf(found)} />
      </Panel>
      {rows.failed > 0 && (
        <Alert
          severity="warning"
          sx={{ mb: 2 }}
          action={
            <Button color="inherit" href={`/api/v1/admin/imports/${found.id}/errors`} download>
              Download
            </Button>
          }
        >
          {formatCount(rows.failed)} rows were rejected. Download them, correct them, and import that file.
        </Alert>
      )}
      {dry_run && <Samples of={found} />}
    </>
  );
}

function Progress({ of: { state, rows } }: Props) {
  if (state !== 'running' && state !== 'queued' && state !== 'receiving') return null;
  const finished = rows.done + rows.failed;
  return (
    <LinearProgress
      aria-label="Rows"
      sx={{ mb: 2 }}
      {...(rows.total ? { variant: 'determinate', value: (100 * finished) / rows.total } : {})}
    />
  );
}

function factsOf({ rows, changes, rows_per_second: rate, format, mode, ...found }: Import) {
  return [
    ['Rows', rows.total === null ? `${formatCount(rows.read)} so far` : formatCount(rows.total)],
    ['Done', formatCount(rows.done)],
    ['Rejected', formatCount(rows.failed)],
    ['Created', formatCount(changes.created)],
    ['Updated', formatCount(changes.updated)],
    ['Unchanged', formatCount(changes.unchanged)],
    ['Rows a second', rate && formatCount(rate)],
    ['Format', format],
    ['What exists already', mode === 'create' ? 'Is rejected' : 'Is changed'],
    ['Begun', formatTime(found.created_at)],
    ['Finished', found.finished_at && formatTime(found.finished_at)],
  ] as const;
}

function ImportActions({ of: { id, kind, state } }: Props) {
  if (state === 'completed' || state === 'failed' || state === 'canceled') return null;
  return (
    <Action
      label="Cancel"
      title="Cancel the import"
      color="error"
      scope={Object.entries(importScopes).find(([name]) => name === kind)?.[1] ?? 'admin:write'}
      text="What was imported before stays."
      run={() => admin.cancelImport(id)}
      done="The import is canceled."
    />
  );
}

function Samples({ of: { samples } }: Props) {
  return (
    <Panel title="The first changes">
      <Rows
        label="Changes"
        rows={samples}
        keyOf={({ subject }) => subject}
        empty="The file changes nothing."
        columns={[
          { label: 'What', show: ({ subject }) => subject },
          { label: 'Would be', show: ({ action }) => <State code={action} /> },
          { label: 'Fields', show: ({ fields }) => fields.join(', ') },
        ]}
      />
    </Panel>
  );
}
