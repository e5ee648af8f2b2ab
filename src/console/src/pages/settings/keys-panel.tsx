import type { ApiKey, Body, Result } from '@storefront-commerce/client';
import { CheckboxGroupInput, RadioButtonGroupInput, required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { DecimalInput } from '../../lib/decimal-input.tsx';
import { Panel } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { readAll } from '../../lib/read-all.ts';
import { Rows } from '../../lib/rows.tsx';
import { SecretAction } from '../../lib/secret-action.tsx';
import { State } from '../../lib/texts.tsx';
import { TimeInput } from '../../lib/time-input.tsx';
import { keyScopes } from './key-scopes.ts';

/** The API keys of the store. */
export function KeysPanel() {
  return (
    <Panel title="API keys" actions={<CreateKey />}>
      <Loaded queryKey={['keys']} load={(signal) => readAll(admin.listKeys({ limit: 100 }, { signal }))}>
        {(keys) => (
          <Rows
            label="API keys"
            rows={keys}
            keyOf={({ id }) => id}
            empty="Keys that storefronts and other programs use to call the API appear here. Create the first one with New key."
            columns={[
              { label: 'Name', show: ({ name }) => name },
              { label: 'Key', show: ({ hint }) => hint },
              { label: 'Scopes', show: ({ scopes }) => scopes.join(', ') },
              { label: 'Created', show: ({ created_at }) => formatTime(created_at) },
              { label: 'Expires', show: ({ expires_at }) => expires_at && formatTime(expires_at) },
              { label: 'State', show: (key) => <State code={stateOf(key)} /> },
              { label: 'Change', show: (key) => !key.revoked_at && <RevokeKey apiKey={key} /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function CreateKey() {
  return (
    <SecretAction<Body<'admin.createKey'>, Result<'admin.createKey'>>
      label="New key"
      submit="Create the key"
      variant="contained"
      scope="admin:write"
      input={{ kind: 'secret', scopes: [] }}
      run={(input, options) => admin.createKey(input, options)}
      done="Key created."
      secretTitle="The new key"
      secretOf={({ value }) => value}
    >
      <TextInput source="name" label="Name" helperText="What it is used for, such as warehouse" validate={required()} />
      <RadioButtonGroupInput
        source="kind"
        label="Used"
        row={false}
        choices={[
          { id: 'secret', name: 'On a server' },
          { id: 'publishable', name: 'In public pages' },
        ]}
      />
      <CheckboxGroupInput
        source="scopes"
        label="Scopes"
        choices={keyScopes.map((id) => ({ id, name: id }))}
        validate={required()}
      />
      <TimeInput source="expires_at" label="Expires" helperText="Empty: never" />
      <DecimalInput source="requests_per_minute" label="Requests per minute" min={1} />
    </SecretAction>
  );
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at) return 'revoked';
  return expires_at && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}

function RevokeKey({ apiKey: { id, name } }: { readonly apiKey: ApiKey }) {
  return (
    <Action
      label="Revoke"
      title={`Revoke the key ${name}`}
      color="error"
      scope="admin:write"
      text="It stops working within five seconds. This cannot be undone."
      run={() => admin.revokeKey(id)}
      done="Key revoked."
    />
  );
}
