import type { AuditEntry } from '@storefront-commerce/client';

import { formatCode, formatTime } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { nameOf } from '../../lib/texts.tsx';
import { AuditChange } from './audit-change.tsx';

const filters = [
  <TextInput key="kind" source="subject_kind" label="Subject" alwaysOn />,
  <TextInput key="id" source="subject_id" label="Subject id" alwaysOn />,
];

export function AuditLog() {
  return (
    <Listing<AuditEntry>
      title="Audit log"
      empty="Changes to the store appear here, with who made them."
      filters={filters}
      columns={[
        { label: 'What', show: ({ action }) => formatCode(action) },
        { label: 'When', show: ({ created_at }) => formatTime(created_at) },
        { label: 'By', show: ({ actor }) => nameOf(actor) },
        { label: 'Subject', show: ({ subject }) => `${subject.kind} ${subject.id}` },
        { label: 'Change', show: (entry) => <AuditChange entry={entry} /> },
      ]}
    />
  );
}
