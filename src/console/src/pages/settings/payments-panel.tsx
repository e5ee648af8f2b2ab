import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Body, PaymentAccount } from '@storefront-commerce/client';
import { BooleanInput, required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { PasswordInput, TextInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { Note } from '../../lib/note.tsx';
import { CheckProvider, useKeyCheck } from './check-provider.tsx';
import { RotateWebhookSecret } from './rotate-webhook-secret.tsx';

type Input = Body<'admin.savePaymentProvider'>;

/** The account with which the store takes money. */
export function PaymentsPanel() {
  return (
    <Loaded queryKey={['providers']} load={(signal) => admin.getProviders({ signal })}>
      {({ providers: { payments } }) => (payments ? <Payments account={payments} /> : <NoPayments />)}
    </Loaded>
  );
}

interface Props {
  readonly account: PaymentAccount;
}

function Payments({ account }: Props) {
  const { provider, mode, account_id, publishable_key, has_secret_key, has_webhook_secret, webhook_url } = account;
  return (
    <Panel title="Payments" actions={<CheckProvider kind="payments" />}>
      {mode === 'connect' && (
        <Note severity="warning">In connect mode the store cannot sell. Enter keys of its own.</Note>
      )}
      <Facts
        of={[
          ['Provider', `${provider}, ${mode}`],
          ['Account', account_id],
          ['Publishable key', publishable_key],
          ['Secret key', has_secret_key ? 'Stored' : 'Missing'],
          ['Webhook secret', has_webhook_secret ? 'Stored' : 'Missing'],
          ['Webhook URL', webhook_url],
          ['No webhooks since', account.webhooks_silent_since && formatTime(account.webhooks_silent_since)],
          ['Tax', account.automatic_tax ? 'Calculated by the provider' : 'Not calculated'],
          ['Checkouts expire after', account.session_lifetime],
        ]}
      />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
        <EditTerms account={account} />
        <ReplaceKeys account={account} />
        <RotateWebhookSecret />
      </Box>
    </Panel>
  );
}

/** What is saved with the account, besides its secrets. */
function termsOf({ provider, mode, account_id, publishable_key, session_lifetime, automatic_tax }: PaymentAccount) {
  return { provider, mode, account_id, publishable_key, session_lifetime, automatic_tax };
}

/** As it is now: another member may have changed it since the page was opened. */
async function readTerms(account: PaymentAccount) {
  const { providers } = await admin.getProviders();
  return termsOf(providers.payments ?? account);
}

function EditTerms({ account }: Props) {
  const { session_lifetime, automatic_tax } = account;
  const terms = { session_lifetime, automatic_tax };
  return (
    <Action<Pick<Input, 'session_lifetime' | 'automatic_tax'>>
      label="Edit"
      submit="Save"
      title="Edit how payments are taken"
      scope="admin:write"
      input={terms}
      run={async (_, { edited }) => admin.savePaymentProvider({ ...(await readTerms(account)), ...edited })}
      done="Payments saved."
    >
      <TextInput
        source="session_lifetime"
        label="How long a shopper has to pay"
        helperText="From 35m to 23h"
        validate={required()}
      />
      <BooleanInput
        source="automatic_tax"
        label="Let the provider calculate tax"
        helperText="Set up Stripe Tax at Stripe first"
      />
    </Action>
  );
}

type Keys = Pick<Input, 'secret_key' | 'publishable_key' | 'webhook_secret'>;

function ReplaceKeys({ account }: Props) {
  const check = useKeyCheck('payments');
  return (
    <Action<Keys>
      label="Replace the keys"
      title="Replace the keys of the payment provider"
      scope="admin:write"
      text={
        "These are the store's own keys. Fields that you leave empty do not change. Before you enter a key of another " +
        'account, cancel the subscriptions, and wait until checkouts and refunds are complete: the store no longer ' +
        'learns what becomes of them in the account before. Orders that were paid there can only be refunded there.'
      }
      run={async ({ secret_key, publishable_key, webhook_secret }) =>
        admin.savePaymentProvider({
          ...(await readTerms(account)),
          ...(secret_key && { mode: 'direct', secret_key }),
          ...(publishable_key && { publishable_key }),
          ...(webhook_secret && { webhook_secret }),
        })
      }
      done="Keys replaced."
      onDone={check}
    >
      <KeyInputs />
    </Action>
  );
}

function NoPayments() {
  const check = useKeyCheck('payments');
  return (
    <Panel title="Payments">
      <Typography sx={{ mb: 2 }}>The store has no payment account, so it cannot sell yet.</Typography>
      <Action<Keys>
        label="Set up payments"
        title="Set up payments with Stripe"
        scope="admin:write"
        variant="contained"
        text="The keys are on the developers' pages of your Stripe account."
        run={(keys) => admin.savePaymentProvider({ provider: 'stripe', ...keys })}
        done="Payments set up."
        onDone={check}
      >
        <KeyInputs isNew />
      </Action>
    </Panel>
  );
}

/** Where nothing is entered, nothing would be replaced. */
const isAnyGiven = (_: unknown, { secret_key, publishable_key, webhook_secret }: Partial<Keys>) =>
  secret_key || publishable_key || webhook_secret ? undefined : 'Enter what you want to replace.';

function KeyInputs({ isNew = false }: { readonly isNew?: boolean }) {
  return (
    <>
      <PasswordInput source="secret_key" label="Secret key" validate={isNew ? required() : isAnyGiven} />
      <TextInput source="publishable_key" label="Publishable key" {...(isNew && { validate: required() })} />
      <PasswordInput
        source="webhook_secret"
        label="Webhook signing secret"
        helperText="You can also create it here later: rotate the webhook's secret"
      />
    </>
  );
}
