import type { Body, Result, ShippingAccount } from '@storefront-commerce/client';
import { required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { EditForm } from '../../lib/edit-form.tsx';
import { Panel } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { PasswordInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { Note } from '../../lib/note.tsx';
import { VersionedForm } from '../../lib/versioned-form.tsx';
import { useScope } from '../../session/session.ts';
import { CheckProvider, useKeyCheck } from './check-provider.tsx';
import { ShippingFacts } from './shipping-facts.tsx';
import { ShippingInputs } from './shipping-inputs.tsx';

type Input = Body<'admin.saveShippingProvider'>;
type Secrets = Pick<Input, 'api_key' | 'webhook_token' | 'webhook_secret'>;

/** Where parcels come from, where they go, what they cost, and the account that buys their labels. */
export function ShippingPanel() {
  return (
    <Loaded queryKey={['providers']} load={(signal) => admin.getProviders({ signal })}>
      {({ providers: { shipping } }) => (shipping ? <Shipping account={shipping} /> : <SetUpShipping />)}
    </Loaded>
  );
}

interface Props {
  readonly account: ShippingAccount;
}

function Shipping({ account }: Props) {
  const mayEdit = useScope('admin:write');
  const { has_webhook_token: token, has_webhook_secret: secret, labels_paused_since: pausedSince } = account;
  return (
    <Panel
      title="Shipping"
      actions={
        <>
          <CheckProvider kind="shipping" />
          <ReplaceSecrets account={account} />
        </>
      }
    >
      {pausedSince && (
        <Note severity="warning">
          Labels have waited since {formatTime(pausedSince)}, because Shippo rejects the key. Replace it, or check the
          account once it works again.
        </Note>
      )}
      {!token && !secret && (
        <Note severity="info">
          Without a webhook token, Shippo's notifications are rejected, and parcels are tracked by polling only.
        </Note>
      )}
      {mayEdit ? <TermsForm account={account} /> : <ShippingFacts account={account} />}
    </Panel>
  );
}

function TermsForm({ account }: Props) {
  return (
    <VersionedForm
      thing={account}
      inputOf={termsOf}
      read={() => readAccount(account)}
      replace={async (input) => (await admin.saveShippingProvider(input)).provider}
      done="Shipping saved."
    >
      <ShippingInputs />
    </VersionedForm>
  );
}

/** As it is now: another member may have changed it since the page was opened. */
async function readAccount(account: ShippingAccount): Promise<ShippingAccount> {
  const { providers } = await admin.getProviders();
  return providers.shipping ?? account;
}

/** What is saved with the account, besides its secrets. */
function termsOf({ provider, carriers, origin, parcel, label_cost_cap_cents, countries, options }: ShippingAccount) {
  return { provider, carriers, origin, parcel, label_cost_cap_cents, countries, options };
}

function ReplaceSecrets({ account }: Props) {
  const check = useKeyCheck('shipping');
  return (
    <Action<Secrets>
      label="Replace the keys"
      title="Replace the keys of Shippo"
      scope="admin:write"
      text={
        'Fields that you leave empty do not change. Before you enter a key of another account, wait until no label is ' +
        'being bought or voided: the store no longer learns what becomes of it.'
      }
      run={async (secrets) => {
        const current = await readAccount(account);
        return admin.saveShippingProvider({ ...termsOf(current), ...given(secrets), version: current.version });
      }}
      done="Keys replaced."
      onDone={check}
    >
      <PasswordInput source="api_key" label="API key" validate={isAnyGiven} />
      <PasswordInput source="webhook_token" label="Webhook token" />
      <PasswordInput source="webhook_secret" label="Webhook secret" />
    </Action>
  );
}

const given = (secrets: Secrets): Secrets =>
  Object.fromEntries(Object.entries(secrets).filter(([, value]) => value)) as Secrets;

/** Where nothing is entered, nothing would be replaced. */
const isAnyGiven = (_: unknown, { api_key, webhook_token, webhook_secret }: Partial<Secrets>) =>
  api_key || webhook_token || webhook_secret ? undefined : 'Enter what you want to replace.';

function SetUpShipping() {
  const check = useKeyCheck('shipping');
  if (!useScope('admin:write')) return <Panel title="Shipping">The store has no Shippo account yet.</Panel>;
  return (
    <Panel title="Set up shipping">
      <EditForm<Input, Result<'admin.saveShippingProvider'>>
        input={{ provider: 'shippo', countries: ['US'], carriers: [], options: [] }}
        run={(input) => admin.saveShippingProvider(input)}
        done="Shipping set up."
        onDone={check}
      >
        <PasswordInput source="api_key" label="API key of Shippo" validate={required()} />
        <PasswordInput
          source="webhook_token"
          label="Webhook token"
          helperText="The token in the URL that Shippo calls"
        />
        <ShippingInputs />
      </EditForm>
    </Panel>
  );
}
