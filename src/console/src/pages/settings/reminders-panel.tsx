import type { ReminderSettings } from '@storefront-commerce/client';
import { useState } from 'react';
import { BooleanInput, required, type TextInputProps } from 'react-admin';

import { admin } from '../../admin.ts';
import { EditForm } from '../../lib/edit-form.tsx';
import { Facts, Panel } from '../../lib/facts.tsx';
import { TextArrayInput, TextInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { useScope } from '../../session/session.ts';

/** When those who left a cart are reminded of it. */
export function RemindersPanel() {
  const mayEdit = useScope('admin.settings:write');
  return (
    <Panel title="Reminders of saved carts">
      <Loaded queryKey={['reminder-settings']} load={(signal) => admin.getReminderSettings({ signal })}>
        {({ reminders }) =>
          mayEdit ? <RemindersForm reminders={reminders} /> : <Facts of={Object.entries(describe(reminders))} />
        }
      </Loaded>
    </Panel>
  );
}

const describe = ({ enabled, steps, quiet_hours: quiet, per_address }: ReminderSettings) => ({
  Sent: enabled ? 'Yes' : 'No',
  After: steps.join(', '),
  'Quiet hours': quiet?.join(' to ') ?? 'None',
  'At most one within': per_address,
});

interface Input extends Omit<ReminderSettings, 'quiet_hours'> {
  readonly quiet_hours: readonly [from: string | null, until: string | null];
}

const inputOf = (settings: ReminderSettings): Input => {
  const [from = null, until = null] = settings.quiet_hours ?? [];
  return { ...settings, quiet_hours: [from, until] };
};

function RemindersForm({ reminders }: { readonly reminders: ReminderSettings }) {
  const [saved, setSaved] = useState(reminders);
  return (
    <EditForm<Input, { reminders: ReminderSettings }>
      key={JSON.stringify(saved)}
      input={inputOf(saved)}
      run={async (_, { edited }) => {
        // What was not edited stays as another member may have saved it meanwhile.
        const { reminders } = await admin.getReminderSettings();
        const { quiet_hours, ...input } = { ...inputOf(reminders), ...edited };
        const [from, until] = quiet_hours;
        return admin.saveReminderSettings({ ...input, quiet_hours: from && until ? [from, until] : null });
      }}
      onDone={({ reminders }) => setSaved(reminders)}
      done="Reminders saved."
    >
      <BooleanInput source="enabled" label="Send reminders" />
      <TextArrayInput
        source="steps"
        label="After"
        helperText="One to three delays after the cart was saved, such as 1h, 24h, 3d"
        validate={required()}
      />
      <TextInput
        source="per_address"
        label="At most one per email within"
        helperText="Such as 16h"
        validate={required()}
      />
      <HourInput
        source="quiet_hours.0"
        label="Quiet from"
        helperText="In the time zone of the store"
        validate={bothOrNone}
      />
      <HourInput
        source="quiet_hours.1"
        label="Quiet until"
        helperText="Leave both empty for any hour"
        validate={bothOrNone}
      />
    </EditForm>
  );
}

const bothOrNone = (_: unknown, { quiet_hours: [from, until] }: Input) =>
  !from === !until ? undefined : 'Enter both hours, or none';

function HourInput(props: TextInputProps) {
  return <TextInput {...props} type="time" slotProps={{ inputLabel: { shrink: true } }} />;
}
