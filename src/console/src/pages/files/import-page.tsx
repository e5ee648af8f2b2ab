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
        'Nothing was changed: this was a check. To import the file, choose it again without “Only check the file”.'
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
  const updates = kind === 'gift_cards' || kind === 'orders' ? 'Stays as it is' : 'Is changed';
  return [
    ['Rows', rows.total === null ? `${formatCount(rows.read)} so far` : formatCount(rows.total)],
    ['Accepted', formatCount(rows.done - rows.failed)],
    ['Rejected', formatCount(rows.failed)],
    ['Created', formatCount(changes.created)],
    ['Updated', formatCount(changes.updated)],
    ['Unchanged', formatCount(changes.unchanged)],
    ['Rows a second', rate && formatCount(rate)],
    ['Format', format],
    ['What exists already', mode === 'create' ? 'Is rejected' : updates],
    ['Begun', formatTime(found.created_at)],
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
      text="What was imported before stays."
      run={() => admin.cancelImport(id)}
      done="The import is canceled."
    />
  );
}

function Samples({ of: { samples, state, rows } }: Props) {
  const nothing =
    rows.failed > 0
      ? 'The rows that are not rejected change nothing.'
      : 'The file changes nothing: the store has all of it already.';
  return (
    <Panel title="The first changes">
      <Rows
        label="Changes"
        rows={samples}
        keyOf={({ subject }) => subject}
        empty={
          state === 'completed' ? nothing : 'What the file changes appears here as soon as its first rows are read.'
        }
        columns={[
          { label: 'What', show: ({ subject }) => subject },
          { label: 'Would be', show: ({ action }) => <State code={action} /> },
          { label: 'Fields', show: ({ fields }) => fields.join(', ') },
        ]}
      />
    </Panel>
  );
}
