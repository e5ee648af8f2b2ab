import type { BulkChange } from '@storefront-commerce/client';

import { formatCount, formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { State } from '../../lib/texts.tsx';
import { changeNames } from './kinds.ts';
import { NewBulkChange } from './new-bulk-change.tsx';

export function BulkChangeList() {
  return (
    <Listing<BulkChange>
      title="Bulk changes"
      actions={<NewBulkChange label="New bulk change" variant="contained" />}
      linkOf={({ id }) => `/bulk-changes/${id}/show`}
      empty="Changes to many products, prices or orders at once appear here. Preview the first one with New bulk change."
      columns={[
        { label: 'What', show: ({ kind, undo_of }) => (undo_of ? 'Undo: ' : '') + changeNames[kind] },
        { label: 'State', show: ({ state }) => <State code={state} /> },
        { label: 'Selected', align: 'right', show: ({ rows }) => formatCount(rows.total) },
        { label: 'Changed', align: 'right', show: ({ changes }) => formatCount(changes.updated) },
        { label: 'Rejected', align: 'right', show: ({ rows }) => formatCount(rows.failed) },
        { label: 'Started', show: ({ created_at }) => formatTime(created_at) },
        { label: 'Finished', show: ({ finished_at }) => finished_at && formatTime(finished_at) },
      ]}
    />
  );
}
