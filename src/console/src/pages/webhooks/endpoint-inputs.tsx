import { CheckboxGroupInput, required } from 'react-admin';

import { admin } from '../../admin.ts';
import { DecimalInput } from '../../lib/decimal-input.tsx';
import { TextInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';

/** What can be edited of an endpoint. */
export function EndpointInputs() {
  return (
    <>
      <TextInput source="url" label="URL" type="url" validate={required()} />
      <Loaded queryKey={['event-types']} load={(signal) => admin.listWebhookEventTypes({ signal })}>
        {({ event_types: types }) => (
          <CheckboxGroupInput
            source="events"
            label="Events"
            validate={required()}
            choices={eventsAndFamilies(types.map(({ type }) => type)).map((event) => ({ id: event, name: event }))}
            helperText="A type with .* includes all events of its kind, also those that are added later"
          />
        )}
      </Loaded>
      <DecimalInput source="concurrency" label="Concurrent requests" min={1} />
      <DecimalInput
        source="rate_per_second"
        label="Requests per second"
        min={1}
        helperText="Leave empty for no limit"
      />
    </>
  );
}

/** What an endpoint can be subscribed to: the types of events, and before those of a family the whole of it. */
function eventsAndFamilies(types: readonly string[]): string[] {
  return [...new Set(types.flatMap((type) => (type === 'webhook.test' ? type : [`${type.split('.')[0]}.*`, type])))];
}
