import { CheckboxGroupInput, required, TextInput } from 'react-admin';

import { admin } from '../../admin.ts';
import { DecimalInput } from '../../lib/decimal-input.tsx';
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
            choices={types.map(({ type }) => ({ id: type, name: type }))}
          />
        )}
      </Loaded>
      <DecimalInput source="concurrency" label="Requests at a time" min={1} />
      <DecimalInput source="rate_per_second" label="Requests a second" min={1} helperText="Empty: no limit" />
    </>
  );
}
