import { required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { PasswordInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { CheckProvider, useKeyCheck } from './check-provider.tsx';

/** An account that is stored and checked, and not used for labels. */
export function SecondShippingPanel() {
  return (
    <Loaded queryKey={['providers']} load={(signal) => admin.getProviders({ signal })}>
      {({ providers: { second_shipping: account } }) => (
        <Panel
          title="Second parcel provider"
          actions={
            <>
              {account && <CheckProvider kind="second-shipping" />}
              <SaveKey label={account ? 'Replace the key' : 'Set up'} />
            </>
          }
        >
          <Facts
            of={
              account
                ? [
                    ['Provider', account.provider],
                    ['Saved', formatTime(account.updated_at)],
                  ]
                : [['Provider', 'None']]
            }
          />
        </Panel>
      )}
    </Loaded>
  );
}

function SaveKey({ label }: { readonly label: string }) {
  const check = useKeyCheck('second-shipping');
  return (
    <Action<{ readonly api_key: string }>
      label={label}
      title="Save the key of EasyPost"
      scope="admin:write"
      text="The account is saved and checked. Labels are still bought from the first provider."
      run={({ api_key }) => admin.saveSecondShippingProvider({ provider: 'easypost', api_key })}
      done="Key saved."
      onDone={check}
    >
      <PasswordInput source="api_key" label="API key" validate={required()} />
    </Action>
  );
}
