import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type BaseSyntheticEvent, type ReactNode, useState } from 'react';
import { Form, type RaRecord } from 'react-admin';
import type { DeepPartial, FieldValues } from 'react-hook-form';

import { FormProblem } from './form-problem.tsx';
import { type ActionRequest, type UnknownOutcomes, unsaved, useAction } from './use-action.ts';

interface EditFormProps<Input extends object, Outcome> extends ActionRequest<Input, Outcome> {
  /** What the form begins with. */
  readonly input: Input | DeepPartial<Input>;
  readonly label?: string;
  readonly children: ReactNode;
}

/** A form on a page. After an error it is as it was, and it warns before unsaved input is left. */
export function EditForm<Input extends object, Outcome = unknown>(props: EditFormProps<Input, Outcome>): ReactNode {
  const { input, label = 'Save', children } = props;
  const [unknown] = useState<UnknownOutcomes>(() => new Map());
  const { send, isSending, error } = useAction(props, unknown);
  return (
    <Form
      // Without a record, the form would have that of the page, and begin again when it is read again.
      record={input as Partial<RaRecord>}
      onSubmit={async (values: FieldValues, event?: BaseSyntheticEvent) =>
        (await send(values as Input, event?.target)) ? undefined : unsaved
      }
      disableInvalidFormNotification
      warnWhenUnsavedChanges
    >
      {children}
      <FormProblem error={error} />
      <Box sx={{ my: 2 }}>
        <Button type="submit" variant="contained" loading={isSending}>
          {error ? 'Try again' : label}
        </Button>
      </Box>
    </Form>
  );
}
