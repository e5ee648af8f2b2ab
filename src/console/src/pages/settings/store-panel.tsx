import type { Body, StoreSettings } from '@storefront-commerce/client';
import { required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatCode, formatMoney } from '../../lib/format.ts';
import { TextArrayInput, TextInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { VersionedForm } from '../../lib/versioned-form.tsx';
import { useScope } from '../../session/session.ts';
import { pairsOf, valuesOf } from './pairs.ts';
import { PairsInput } from './pairs-input.tsx';

/** The store itself: its name, its storefront, its emails. */
export function StorePanel() {
  const mayEdit = useScope('admin:write');
  return (
    <>
      <Panel title="Store">
        <Loaded queryKey={['store']} load={(signal) => admin.getStore({ signal })}>
          {({ store }) => (
            <>
              <Facts
                of={[
                  ['Slug', store.slug],
                  ['Currency', store.currency],
                  ['Email of the owner', store.owner_email],
                ]}
              />
              {mayEdit ? <StoreForm store={store} /> : <StoreFacts store={store} />}
            </>
          )}
        </Loaded>
      </Panel>
      <ModulesPanel />
    </>
  );
}

interface Props {
  readonly store: StoreSettings;
}

function StoreForm({ store }: Props) {
  return (
    <VersionedForm
      thing={store}
      inputOf={inputOf}
      read={async () => (await admin.getStore()).store}
      replace={async ({ theme, links, ...input }) =>
        (
          await admin.saveStore({
            ...input,
            theme: valuesOf(theme, store.theme),
            links: valuesOf(links, store.links),
          })
        ).store
      }
      done="Store saved."
    >
      <TextInput source="name" label="Name" validate={required()} sx={{ mt: 2 }} />
      <TextInput
        source="mail_from"
        label="Sender of emails"
        helperText="For example Cedar &amp; Clay <hello@cedar.example>. You can change the name; only the operator can change the email. If it is empty, the service's own sender is used until the operator sets one again"
      />
      <TextInput source="storefront_url" label="URL of the storefront" type="url" validate={required()} />
      <TextInput
        source="magic_link_path"
        label="Sign-in page"
        helperText="Links in emails to customers lead to it"
        validate={required()}
      />
      <TextInput
        source="restore_path"
        label="Page of saved carts"
        helperText="Links in reminders lead to it"
        validate={required()}
      />
      <TextArrayInput
        source="allowed_origins"
        label="Origins that may call the API from a browser"
        helperText="Such as https://shop.cedar.example; * is any"
      />
      <TextInput
        source="locale"
        label="Language of amounts and dates"
        helperText="Such as en-US"
        validate={required()}
      />
      <TextInput source="timezone" label="Time zone" helperText="Such as America/New_York" validate={required()} />
      <MoneyInput
        source="refund_verification_above_cents"
        label="What a member may refund per day without a second factor"
        currency={store.currency}
        validate={required()}
      />
      <PairsInput source="links" label="Links" item="link" />
      <PairsInput source="theme" label="Theme" item="value" />
    </VersionedForm>
  );
}

function inputOf({
  slug: _slug,
  currency: _currency,
  owner_email: _email,
  version: _version,
  ...store
}: StoreSettings) {
  return { ...store, theme: pairsOf(store.theme), links: pairsOf(store.links) } satisfies Partial<
    Record<keyof Body<'admin.saveStore'>, unknown>
  >;
}

function StoreFacts({ store }: Props) {
  return (
    <Facts
      of={[
        ['Name', store.name],
        ['Sender of emails', store.mail_from],
        ['Storefront', store.storefront_url],
        ['Language', store.locale],
        ['Time zone', store.timezone],
        ['Refunds without a second factor', formatMoney(store.refund_verification_above_cents, store.currency)],
      ]}
    />
  );
}

function ModulesPanel() {
  return (
    <Panel title="Modules">
      <Loaded queryKey={['modules']} load={(signal) => admin.listModules({ signal })}>
        {({ modules }) => (
          <Facts
            of={[
              ...Object.entries(modules).map(([name, isOn]) => [formatCode(name), isOn ? 'On' : 'Off'] as const),
              ['To change them', 'Contact the operator of the service.'],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
