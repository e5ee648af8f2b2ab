import type { Body, Subscription } from '@storefront-commerce/client';
import { RadioButtonGroupInput } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Buttons } from '../../lib/buttons.tsx';
import { choicesOf } from '../../lib/format.ts';
import { SelectInput } from '../../lib/inputs.tsx';
import { AddressInputs } from '../orders/address-panel.tsx';

type Change = Body<'admin.manageSubscription'>;
type Address = Body<'admin.replaceShippingAddress'>;

interface Props {
  readonly subscription: Subscription;
}

const scope = 'admin.orders:write';

/** What can be done with a subscription in its state, as its customer can. */
export function SubscriptionActions({ subscription }: Props) {
  const { id, status, cancel_at_period_end: isLast } = subscription;
  if (status === 'canceled') return null;
  return (
    <Buttons>
      {status === 'paused' ? (
        <Action
          label="Resume"
          scope={scope}
          text="It will renew again at the end of its period."
          run={(_, options) => admin.manageSubscription(id, { action: 'resume' }, options)}
          done="Subscription resumed."
        />
      ) : (
        <Action
          label="Pause"
          scope={scope}
          text="It will not renew until it is resumed."
          run={(_, options) => admin.manageSubscription(id, { action: 'pause' }, options)}
          done="Subscription paused."
        />
      )}
      <ChangeInterval subscription={subscription} />
      {subscription.shipping_address && <ChangeAddress subscription={subscription} />}
      {isLast ? (
        <>
          <Action
            label="Reactivate"
            scope={scope}
            text="It will not be canceled, and renews at the end of its period."
            run={(_, options) => admin.reactivateSubscription(id, options)}
            done="Subscription continued."
          />
          <Action
            label="Cancel now"
            title="Cancel the subscription now"
            color="error"
            scope={scope}
            text="It ends immediately instead of at the end of its period."
            run={(_, options) => admin.manageSubscription(id, { action: 'cancel', at_period_end: false }, options)}
            done="Subscription canceled."
          />
        </>
      ) : (
        <CancelSubscription subscription={subscription} />
      )}
    </Buttons>
  );
}

function ChangeInterval({ subscription: { id, interval } }: Props) {
  return (
    <Action<Pick<Change, 'subscription_interval'>>
      label="Change interval"
      scope={scope}
      input={{ subscription_interval: interval }}
      run={(input, options) => admin.manageSubscription(id, { action: 'change_interval', ...input }, options)}
      done="Interval changed."
    >
      <SelectInput source="subscription_interval" label="Every" choices={choicesOf(['month', 'quarter'])} />
    </Action>
  );
}

/** Only what was edited changes: the rest stays as another member may have corrected it meanwhile. */
function ChangeAddress({ subscription: { id, shipping_address: address } }: Props) {
  return (
    <Action<Address>
      label="Change address"
      submit="Save"
      scope={scope}
      text="Future parcels go there. Existing orders keep their address."
      input={address as Address}
      run={async (_, { edited, ...options }) => {
        const { subscription } = await admin.getSubscription(id);
        const shipping_address = { ...(subscription.shipping_address as Address), ...edited };
        return admin.manageSubscription(id, { action: 'change_address', shipping_address }, options);
      }}
      done="Address saved."
    >
      <AddressInputs />
    </Action>
  );
}

function CancelSubscription({ subscription: { id, status } }: Props) {
  return (
    <Action<{ when: 'now' | 'end' }>
      label="Cancel"
      title="Cancel the subscription"
      submit="Cancel the subscription"
      color="error"
      scope={scope}
      input={{ when: 'end' }}
      run={({ when }, options) =>
        admin.manageSubscription(id, { action: 'cancel', at_period_end: when === 'end' }, options)
      }
      done="Subscription canceled at the time you chose."
    >
      <RadioButtonGroupInput
        source="when"
        label="When"
        row={false}
        choices={[
          { id: 'end', name: status === 'past_due' ? 'At the end of the period' : 'At the end of the paid period' },
          { id: 'now', name: 'Now' },
        ]}
      />
    </Action>
  );
}
