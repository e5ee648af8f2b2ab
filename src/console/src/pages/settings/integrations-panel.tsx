import Box from '@mui/material/Box';
import type { Body, Integration, Result } from '@storefront-commerce/client';
import { useState } from 'react';
import { required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { readAll } from '../../lib/read-all.ts';
import { Rows } from '../../lib/rows.tsx';
import { SecretAction } from '../../lib/secret-action.tsx';
import { State } from '../../lib/texts.tsx';

/** Connections to third parties, such as a bookkeeper. */
export function IntegrationsPanel() {
  return (
    <Panel title="Integrations" actions={<Connect />}>
      <Loaded
        queryKey={['integrations']}
        load={(signal) => readAll(admin.listIntegrations({ limit: 100 }, { signal }))}
      >
        {(integrations) => (
          <Rows<Integration>
            label="Integrations"
            rows={integrations}
            keyOf={({ id }) => id}
            empty="Third parties that exchange data with the store, such as a bookkeeping service, appear here. Start with Connect."
            columns={[
              { label: 'Third party', show: ({ provider }) => provider },
              { label: 'State', show: ({ status }) => <State code={status} /> },
              { label: 'Started', show: ({ created_at }) => formatTime(created_at) },
              { label: 'Answered', show: ({ received_at }) => received_at && formatTime(received_at) },
              { label: 'Received', show: (integration) => integration.received_at && <Reveal of={integration} /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

type Connected = Result<'admin.createIntegration'>;

function Connect() {
  return (
    <SecretAction<Body<'admin.createIntegration'>, Connected>
      label="Connect"
      title="Connect a third party"
      scope="admin:write"
      variant="contained"
      input={{ return_url: location.href }}
      run={(input, options) => admin.createIntegration(input, options)}
      done="Connection started."
      secretTitle="What the third party needs"
      secretOf={describe}
    >
      <TextInput
        source="provider"
        label="Third party"
        helperText="A name of small letters, such as bookkeeper"
        validate={required()}
      />
      <TextInput source="consent_url" label="Page where you give your consent" type="url" />
      <TextInput source="return_url" label="Page to return to" type="url" validate={required()} />
    </SecretAction>
  );
}

const describe = ({ open_url, callback_url, calls, state }: Connected): string =>
  [
    ...(open_url ? [`Give your consent within 30 minutes: ${open_url}`] : []),
    `Callback URL: ${callback_url}`,
    `State: ${state}`,
    `URL of its calls: ${calls.url}`,
    `Secret of its calls: ${calls.secret}`,
  ].join('\n');

function Reveal({ of: { id, provider } }: { readonly of: Integration }) {
  const [received, setReceived] = useState<Readonly<Record<string, unknown>>>();
  return (
    <Box>
      <Action<object, Result<'admin.revealIntegration'>>
        label="Show"
        title={`Show what ${provider} sent`}
        scope="admin:write"
        text="The audit log records that you have read it."
        run={() => admin.revealIntegration(id)}
        onDone={({ received }) => setReceived(received ?? {})}
        done="It is shown."
      />
      {received && <Facts of={Object.entries(received).map(([name, value]) => [name, String(value)])} />}
    </Box>
  );
}
