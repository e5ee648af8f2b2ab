import type { Body, Result, WebhookEndpoint } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { SecretAction } from '../../lib/secret-action.tsx';
import { BreakableUrl, State } from '../../lib/texts.tsx';
import { EndpointInputs } from './endpoint-inputs.tsx';

export function EndpointList() {
  return (
    <Listing<WebhookEndpoint>
      title="Webhooks"
      actions={<CreateEndpoint />}
      linkOf={({ id }) => `/webhooks/${id}/show`}
      empty="URLs of other systems that are notified of what happens in the store: create the first endpoint here."
      columns={[
        { label: 'URL', show: ({ url }) => <BreakableUrl url={url} /> },
        { label: 'State', show: ({ status }) => <State code={status} /> },
        { label: 'Failing since', show: ({ failing_since }) => failing_since && formatTime(failing_since) },
        { label: 'Last success', show: ({ last_success_at }) => last_success_at && formatTime(last_success_at) },
        { label: 'Events', show: ({ events }) => events.join(', ') },
      ]}
    />
  );
}

function CreateEndpoint() {
  return (
    <SecretAction<Body<'admin.createWebhookEndpoint'>, Result<'admin.createWebhookEndpoint'>>
      label="New endpoint"
      submit="Create the endpoint"
      variant="contained"
      scope="admin.webhooks:write"
      input={{ events: [] }}
      run={(input, options) => admin.createWebhookEndpoint(input, options)}
      done="Endpoint created."
      secretTitle="Signing secret"
      secretOf={({ secret }) => secret}
    >
      <EndpointInputs />
    </SecretAction>
  );
}
