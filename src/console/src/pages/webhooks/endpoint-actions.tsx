import type { Body, Result, WebhookEndpoint } from '@storefront-commerce/client';
import { useState } from 'react';
import { RadioButtonGroupInput, required } from 'react-admin';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { formatCount } from '../../lib/format.ts';
import { SecretAction } from '../../lib/secret-action.tsx';
import { TimeInput } from '../../lib/time-input.tsx';
import { EndpointInputs } from './endpoint-inputs.tsx';

interface Props {
  readonly endpoint: WebhookEndpoint;
}

const scope = 'admin.webhooks:write';

/** What can be done with an endpoint. */
export function EndpointActions({ endpoint }: Props) {
  const { id, url, events, concurrency, rate_per_second, status } = endpoint;
  return (
    <>
      <Action<Body<'admin.updateWebhookEndpoint'>>
        label="Edit"
        submit="Save"
        title="Edit the endpoint"
        scope={scope}
        input={{ url, events: events as never, concurrency, rate_per_second }}
        run={(_, { edited }) => admin.updateWebhookEndpoint(id, edited)}
        done="Endpoint saved."
      >
        <EndpointInputs />
      </Action>
      <Action
        label="Try an event"
        scope={scope}
        text="A webhook.test event is sent to it. It is among the deliveries below."
        run={() => admin.testWebhookEndpoint(id)}
        done="The event is on its way."
      />
      <RecoverDeliveries endpoint={endpoint} />
      <RotateSecret endpoint={endpoint} />
      {status === 'enabled' ? (
        <Action
          label="Disable"
          scope={scope}
          color="error"
          text="Its pending deliveries are discarded. They can be recovered later."
          run={() => admin.disableWebhookEndpoint(id)}
          done="Endpoint disabled."
        />
      ) : (
        <Action
          label="Enable"
          scope={scope}
          text="Missed events are not sent automatically. Recover them afterwards."
          run={() => admin.enableWebhookEndpoint(id)}
          done="Endpoint enabled."
        />
      )}
      <DeleteEndpoint endpoint={endpoint} />
    </>
  );
}

const hourBefore = (time: string) => new Date(Date.parse(time) - 3_600_000).toISOString();

function RecoverDeliveries({ endpoint: { id, failing_since, disabled_at, created_at } }: Props) {
  // Once it is enabled, or works again, the endpoint no longer has the time from which it has to be recovered.
  const [known, setKnown] = useState<string>();
  const missedSince = failing_since ?? disabled_at ?? known;
  if (missedSince !== known) setKnown(missedSince);
  return (
    <Action<Body<'admin.recoverWebhookDeliveries'>, Result<'admin.recoverWebhookDeliveries'>>
      label="Recover"
      title="Resend missed events"
      scope={scope}
      input={{ only: 'failed', since: missedSince ? hourBefore(missedSince) : created_at }}
      run={(input, options) => admin.recoverWebhookDeliveries(id, input, options)}
      done={({ recovered }) =>
        recovered === 0 ? 'There was nothing to resend since then.' : `Resent: ${formatCount(recovered)}.`
      }
    >
      <TimeInput
        source="since"
        label="Since"
        helperText={
          missedSince
            ? 'An hour before it failed or was disabled, since the first missed event is older'
            : 'Since the endpoint was created: everything it missed'
        }
        validate={required()}
      />
      <TimeInput source="until" label="Until" helperText="Leave empty to end now" />
      <RadioButtonGroupInput
        source="only"
        label="Which"
        choices={[
          { id: 'failed', name: 'What failed' },
          { id: 'all', name: 'Everything' },
        ]}
      />
    </Action>
  );
}

function RotateSecret({ endpoint: { id } }: Props) {
  return (
    <SecretAction<object, Result<'admin.rotateWebhookSecret'>>
      label="Rotate the secret"
      scope={scope}
      text="Deliveries are signed with both secrets for a day, which gives you time to update the receiver."
      run={(_, options) => admin.rotateWebhookSecret(id, options)}
      done="Secret rotated."
      secretTitle="New signing secret"
      secretOf={({ secret }) => secret}
    />
  );
}

function DeleteEndpoint({ endpoint: { id, url } }: Props) {
  const navigate = useNavigate();
  return (
    <Action
      label="Delete"
      title={`Delete ${url}`}
      scope={scope}
      color="error"
      text="Its deliveries are deleted as well."
      run={() => admin.deleteWebhookEndpoint(id)}
      onDone={() => navigate('/webhooks', { replace: true })}
      done="Endpoint deleted."
    />
  );
}
