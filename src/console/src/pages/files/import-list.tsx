import type { Import } from '@storefront-commerce/client';

import { formatCode, formatCount, formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { State } from '../../lib/texts.tsx';
import { NewImport } from './new-import.tsx';

export function ImportList() {
  return (
    <Listing<Import>
      title="Imports"
      actions={<NewImport />}
      linkOf={({ id }) => `/imports/${id}/show`}
      empty="Files that you import, such as products or stock, appear here. Start with New import."
      columns={[
        { label: 'What', show: ({ kind, dry_run }) => formatCode(kind) + (dry_run ? ' (check only)' : '') },
        { label: 'State', show: ({ state }) => <State code={state} /> },
        { label: 'Rows', align: 'right', show: ({ rows }) => formatCount(rows.done) },
        { label: 'Rejected', align: 'right', show: ({ rows }) => formatCount(rows.failed) },
        { label: 'Started', show: ({ created_at }) => formatTime(created_at) },
        { label: 'Finished', show: ({ finished_at }) => finished_at && formatTime(finished_at) },
      ]}
    />
  );
}
