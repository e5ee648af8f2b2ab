import Box from '@mui/material/Box';
import type { WebhookEndpoint } from '@storefront-commerce/client';

import { Facts, Panel } from '../../lib/facts.tsx';
import { formatCode, formatTime } from '../../lib/format.ts';
import { Note } from '../../lib/note.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { State } from '../../lib/texts.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { EndpointActions } from './endpoint-actions.tsx';

export function EndpointPage() {
  return <RecordPage<WebhookEndpoint>>{(endpoint) => <Endpoint endpoint={endpoint} />}</RecordPage>;
}

function Endpoint({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { url, status, events, concurrency, rate_per_second: rate } = endpoint;
  return (
    <>
      <PageHeading title={new URL(url).host}>
        <State code={status} />
      </PageHeading>
      {endpoint.disabled_reason && endpoint.disabled_reason !== 'owner' && (
        <Note severity="warning">
          It was disabled because it is {formatCode(endpoint.disabled_reason).toLowerCase()}. Enable it when it works
          again, then recover what it missed.
        </Note>
      )}
      <Panel title="Endpoint">
        <Facts
          of={[
            ['URL', url],
            ['Events', events.join(', ')],
            ['At a time', concurrency],
            ['A second', rate],
            ['Failing since', endpoint.failing_since && formatTime(endpoint.failing_since)],
            ['Paused until', endpoint.paused_until && formatTime(endpoint.paused_until)],
            ['Last success', endpoint.last_success_at && formatTime(endpoint.last_success_at)],
          ]}
        />
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
          <EndpointActions endpoint={endpoint} />
        </Box>
      </Panel>
      <DeliveriesPanel endpointId={endpoint.id} />
    </>
  );
}
