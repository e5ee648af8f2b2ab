import type { Import } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Panel } from '../../lib/facts.tsx';
import { formatCode, formatCount, formatTime } from '../../lib/format.ts';
import { RecordPage } from '../../lib/record-page.tsx';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { importScopes } from './kinds.ts';
import { isOpen, OperationPage, RejectedRows } from './operation-page.tsx';

export function ImportPage() {
  return <RecordPage<Import>>{(found) => <ImportParts of={found} />}</RecordPage>;
}

interface Props {
  readonly of: Import;
}

function ImportParts({ of: found }: Props) {
  const { id, kind, dry_run, state, rows } = found;
  return (
    <OperationPage
      title={`Import of ${formatCode(kind).toLowerCase()}`}
      of={found}
      note={
        dry_run &&
        state === 'completed' &&
        'This was a check: nothing has changed. To import the file, choose it again without “Only check the file”.'
      }
      actions={<ImportActions of={found} />}
      share={rows.total ? rows.done / rows.total : undefined}
      facts={factsOf(found)}
    >
      <RejectedRows count={rows.failed} href={`/api/v1/admin/imports/${id}/errors`}>
        Download what was rejected, correct it, and import that file.
      </RejectedRows>
      {dry_run && <Samples of={found} />}
    </OperationPage>
  );
}

function factsOf({ kind, rows, changes, rows_per_second: rate, format, mode, ...found }: Import) {
  const updates = kind === 'gift_cards' || kind === 'orders' ? 'Unchanged' : 'Updated';
  return [
    ['Rows', rows.total === null ? `${formatCount(rows.read)} so far` : formatCount(rows.total)],
    ['Accepted', formatCount(rows.done - rows.failed)],
    ['Rejected', formatCount(rows.failed)],
    ['Created', formatCount(changes.created)],
    ['Updated', formatCount(changes.updated)],
    ['Unchanged', formatCount(changes.unchanged)],
    ['Rows per second', rate && formatCount(rate)],
    ['Format', format],
    ['Existing records', mode === 'create' ? 'Rejected' : updates],
    ['Started', formatTime(found.created_at)],
    ['Finished', found.finished_at && formatTime(found.finished_at)],
  ] as const;
}

function ImportActions({ of: found }: Props) {
  const { id, kind } = found;
  if (!isOpen(found)) return null;
  return (
    <Action
      label="Cancel"
      title="Cancel the import"
      color="error"
      scope={Object.entries(importScopes).find(([name]) => name === kind)?.[1] ?? 'admin:write'}
      text="Rows that were already imported stay."
      run={() => admin.cancelImport(id)}
      done="Import canceled."
    />
  );
}

function Samples({ of: { samples, state, rows } }: Props) {
  const nothing =
    rows.failed > 0
      ? 'The accepted rows change nothing.'
      : 'The file changes nothing: the store already has all of it.';
  return (
    <Panel title="First changes">
      <Rows
        label="Changes"
        rows={samples}
        keyOf={({ subject }) => subject}
        empty={state === 'completed' ? nothing : 'Changes appear here as soon as the first rows are read.'}
        columns={[
          { label: 'What', show: ({ subject }) => subject },
          { label: 'Would be', show: ({ action }) => <State code={action} /> },
          { label: 'Fields', show: ({ fields }) => fields.join(', ') },
        ]}
      />
    </Panel>
  );
}
