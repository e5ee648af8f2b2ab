import Box from '@mui/material/Box';
import type { BulkChange, Result } from '@storefront-commerce/client';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Panel } from '../../lib/facts.tsx';
import { formatCount, formatTime } from '../../lib/format.ts';
import { RecordPage } from '../../lib/record-page.tsx';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { useCurrency } from '../../session/session.ts';
import { isOpen, OperationPage, RejectedRows } from '../files/operation-page.tsx';
import { describeFilter, describeProblem, describeValue, nameOfChanged } from './describe-change.ts';
import { changeNames, changeScopes } from './kinds.ts';

export function BulkChangePage() {
  return <RecordPage<BulkChange>>{(found) => <BulkChangeParts of={found} />}</RecordPage>;
}

interface Props {
  readonly of: BulkChange;
}

function BulkChangeParts({ of: found }: Props) {
  const { id, kind, state, rows, undo_of, undone_by } = found;
  const currency = useCurrency();
  return (
    <OperationPage
      title={(undo_of ? 'Undo: ' : '') + changeNames[kind]}
      of={found}
      note={
        state === 'previewed'
          ? 'Nothing has changed yet. Check the changes below, then run it within a day.'
          : undone_by && 'It was undone.'
      }
      actions={<BulkChangeActions of={found} />}
      share={rows.done / Math.max(1, rows.total)}
      facts={factsOf(found, currency)}
    >
      <RejectedRows count={rows.failed} href={`/api/v1/admin/bulk-changes/${id}/errors`}>
        The list says which, and why.
      </RejectedRows>
      <Samples of={found} />
    </OperationPage>
  );
}

function factsOf(found: BulkChange, currency: string) {
  const { rows, changes, filter, undo_of, rows_per_second: rate, created_at, finished_at } = found;
  const change = Object.entries(found.change).map(
    ([name, value]) => [nameOfChanged(name), describeValue(name, value, currency)] as const,
  );
  return [
    ['Which', filter && describeFilter(filter)],
    ...(undo_of ? [['Original change', change.map((part) => part.join(': ')).join('\n')] as const] : change),
    ['Selected', formatCount(rows.total)],
    ['Done', formatCount(rows.done)],
    ['Changed', formatCount(changes.updated)],
    ['Unchanged', formatCount(changes.unchanged)],
    ['Rejected', formatCount(rows.failed)],
    ['A second', rate && formatCount(rate)],
    ['Started', formatTime(created_at)],
    ['Finished', finished_at && formatTime(finished_at)],
  ] as const;
}

function BulkChangeActions({ of: found }: Props) {
  const { id, kind, state, rows, can_undo, undone_by } = found;
  const navigate = useNavigate();
  const scope = changeScopes[kind];
  if (state === 'previewed')
    return (
      <Action
        label="Run"
        title={`${changeNames[kind]}: ${formatCount(rows.total)}`}
        variant="contained"
        scope={scope}
        text="This runs in the background. You can leave the page, or cancel it."
        run={() => admin.runBulkChange(id)}
        done="It is running."
      />
    );
  if (isOpen(found))
    return (
      <Action
        label="Cancel"
        title="Cancel the bulk change"
        color="error"
        scope={scope}
        text="Changes that were already made stay."
        run={() => admin.cancelBulkChange(id)}
        done="It is canceled."
      />
    );
  if (!can_undo || undone_by) return null;
  return (
    <Action<object, Result<'admin.undoBulkChange'>>
      label="Undo"
      title="Undo the bulk change"
      scope={scope}
      text="Everything goes back to how it was, except what has been changed since."
      run={() => admin.undoBulkChange(id)}
      onDone={({ bulk_change }) => navigate(`/bulk-changes/${bulk_change.id}/show`)}
      done="It is being undone."
    />
  );
}

function Samples({ of: { samples, state } }: Props) {
  if (samples.length === 0) return null;
  return (
    <Panel title="First changes">
      <Rows
        label="Changes"
        rows={samples}
        keyOf={({ subject }) => subject}
        columns={[
          { label: 'What', show: ({ subject }) => subject },
          { label: state === 'previewed' ? 'Would be' : 'Outcome', show: ({ action }) => <State code={action} /> },
          {
            label: 'Before and after',
            show: ({ values, problem }) => (problem ? describeProblem(problem) : <Values of={values} />),
          },
        ]}
      />
    </Panel>
  );
}

function Values({ of }: { readonly of: BulkChange['samples'][number]['values'] }) {
  const currency = useCurrency();
  return Object.entries(of).map(([path, [before, after]]) => (
    <Box key={path}>
      {nameOfChanged(path)}: {describeValue(path, before, currency)} → {describeValue(path, after, currency)}
    </Box>
  ));
}
