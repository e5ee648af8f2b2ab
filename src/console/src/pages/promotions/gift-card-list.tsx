import type { Body, GiftCard, Result } from '@storefront-commerce/client';
import { required, SearchInput } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { formatMoney, formatTime } from '../../lib/format.ts';
import { Listing } from '../../lib/listing.tsx';
import { MoneyInput } from '../../lib/money-input.tsx';
import { SecretAction } from '../../lib/secret-action.tsx';
import { State } from '../../lib/texts.tsx';

/** Of a code that is pasted, only what the list shows: the filter is part of the page's URL. */
const lastFour = (typed: string): string => typed.replaceAll(/[^\p{L}\p{Nd}]/gu, '').slice(-4);

const filters = [<SearchInput key="q" source="q" placeholder="Last 4 characters" parse={lastFour} alwaysOn />];

export function GiftCardList() {
  return (
    <Listing<GiftCard>
      title="Gift cards"
      actions={<CreateGiftCard />}
      filters={filters}
      empty="Gift cards appear here when you issue or import them."
      columns={[
        { label: 'Card', show: ({ last4 }) => `…${last4}` },
        { label: 'Balance', align: 'right', show: (card) => formatMoney(card.balance_cents, card.currency) },
        { label: 'Held', align: 'right', show: (card) => formatMoney(card.held_cents, card.currency) },
        { label: 'Issued', show: ({ created_at }) => formatTime(created_at) },
        { label: 'State', show: ({ disabled_at }) => <State code={disabled_at ? 'disabled' : 'active'} /> },
        { label: 'Change', show: (card) => !card.disabled_at && <DisableGiftCard card={card} /> },
      ]}
    />
  );
}

function CreateGiftCard() {
  return (
    <SecretAction<Body<'admin.createGiftCard'>, Result<'admin.createGiftCard'>>
      label="New gift card"
      submit="Issue the gift card"
      variant="contained"
      scope="admin.promotions:write"
      run={(input, options) => admin.createGiftCard(input, options)}
      done="Gift card issued."
      secretTitle="Gift card code"
      secretOf={({ code }) => code}
    >
      <MoneyInput source="balance_cents" label="Balance" min={1} validate={required()} />
    </SecretAction>
  );
}

function DisableGiftCard({ card: { id, last4 } }: { readonly card: GiftCard }) {
  return (
    <Action
      label="Disable"
      title={`Disable the gift card …${last4}`}
      color="error"
      scope="admin.promotions:write"
      text="It can no longer be used. Open checkouts keep the amount they hold."
      run={(_, options) => admin.disableGiftCard(id, options)}
      done="Gift card disabled."
    />
  );
}
