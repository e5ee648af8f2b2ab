import type { Erasure } from '@storefront-commerce/client';

import { formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { State } from '../../lib/texts.tsx';
import { ErasePersonalData, ExportPersonalData } from './privacy-actions.tsx';

export function ErasureList() {
  return (
    <Listing<Erasure>
      title="Personal data"
      actions={
        <>
          <ExportPersonalData />
          <ErasePersonalData />
        </>
      }
      linkOf={({ id }) => `/erasures/${id}/show`}
      empty="Export or erase everything stored about an email, whether or not it belongs to a customer. Erasures appear here."
      columns={[
        { label: 'Email', show: ({ email }) => email ?? 'Erased' },
        { label: 'State', show: ({ state }) => <State code={state} /> },
        { label: 'Requested', show: ({ created_at }) => formatTime(created_at) },
        { label: 'Finished', show: ({ finished_at }) => finished_at && formatTime(finished_at) },
      ]}
    />
  );
}
