import type { StaffSession } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Panel } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { Rows } from '../../lib/rows.tsx';
import { useSession } from '../../session/session.ts';
import { EndSession } from './end-session.tsx';
import { SecondFactorPanel } from './second-factor-panel.tsx';

/** The second factor and the sessions of who is signed in. */
export function OwnAccount() {
  const own = useSession()?.session.id;
  return (
    <>
      <PageHeading title="My account" />
      <SecondFactorPanel />
      <Panel title="Open sessions">
        <Loaded queryKey={['sessions']} load={(signal) => admin.listSessions({}, { signal })}>
          {({ sessions }) => (
            <Rows<StaffSession>
              label="Sessions"
              rows={sessions}
              keyOf={({ id }) => id}
              columns={[
                { label: 'Since', show: ({ created_at }) => formatTime(created_at) },
                { label: 'Ends when idle', show: ({ idle_expires_at }) => formatTime(idle_expires_at) },
                { label: 'Ends', show: ({ expires_at }) => formatTime(expires_at) },
                { label: 'Change', show: ({ id }) => (id === own ? 'This one' : <EndSession id={id} />) },
              ]}
            />
          )}
        </Loaded>
      </Panel>
    </>
  );
}
