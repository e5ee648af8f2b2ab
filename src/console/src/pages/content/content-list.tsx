import type { ManagedContentEntry } from '@storefront-commerce/client';

import { formatCode, formatTime } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { LinkButton } from '../../lib/link-button.tsx';
import { Listing } from '../../lib/listing.tsx';
import { State } from '../../lib/texts.tsx';
import { stateOf } from './state-of.ts';

const filters = [<TextInput key="type" source="type" label="Type" alwaysOn />];

export function ContentList() {
  return (
    <Listing<ManagedContentEntry>
      title="Content"
      empty="Texts that the storefront shows, such as articles and announcements, appear here. Write the first one with New entry."
      filters={filters}
      actions={<LinkButton to="/content/create" label="New entry" scope="admin.content:write" />}
      linkOf={({ type, slug }) => `/content/${encodeURIComponent(`${type}/${slug}`)}/show`}
      columns={[
        { label: 'Title', show: ({ title }) => title },
        { label: 'Type', show: ({ type }) => formatCode(type) },
        { label: 'State', show: (entry) => <State code={stateOf(entry, Date.now())} /> },
        { label: 'Published', show: ({ published_at }) => published_at && formatTime(published_at) },
        { label: 'Changed', show: ({ updated_at }) => formatTime(updated_at) },
      ]}
    />
  );
}
