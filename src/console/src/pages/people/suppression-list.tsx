import type { Suppression } from '@storefront-commerce/client';
import type { RaRecord } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { emailFilter } from '../../lib/email-filter.tsx';
import { formatCode, formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';

const filters = [emailFilter];

export function SuppressionList() {
  return (
    <Listing<Suppression & RaRecord>
      title="Suppressed emails"
      filters={filters}
      empty="Addresses that bounced appear here. Nothing is sent to them."
      columns={[
        { label: 'Email', show: ({ email }) => email },
        { label: 'Reason', show: ({ reason }) => formatCode(reason) },
        { label: 'Since', show: ({ created_at }) => formatTime(created_at) },
        { label: 'Next', show: ({ email }) => <Release email={email} /> },
      ]}
    />
  );
}

function Release({ email }: Pick<Suppression, 'email'>) {
  return (
    <Action
      label="Release"
      title={`Send emails to ${email} again`}
      scope="admin.customers:write"
      text="Do this once the mailbox works again. If an email bounces, it will be suppressed again."
      run={() => admin.releaseSuppression({ email })}
      done="Emails will be sent to it again."
    />
  );
}
