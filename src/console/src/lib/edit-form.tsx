import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type BaseSyntheticEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Form, type RaRecord } from 'react-admin';
import type { DeepPartial, FieldValues } from 'react-hook-form';

import { FormProblem } from './form-problem.tsx';
import { type ActionRequest, type UnknownOutcomes, useAction } from './use-action.ts';

interface EditFormProps<Input extends object, Outcome> extends ActionRequest<Input, Outcome> {
  /** What the form begins with. */
  readonly input: Input | DeepPartial<Input>;
  /** With another one, the form begins again. */
  readonly version?: number;
  readonly label?: string;
  readonly children: ReactNode;
}

/**
 * A form on a page. After an error it is as it was, and it warns before unsaved input is left. While it is sent nothing
 * can be entered, which would be lost.
 */
export function EditForm<Input extends object, Outcome = unknown>(props: EditFormProps<Input, Outcome>): ReactNode {
  const { input, version = 0, label = 'Save', children } = props;
  const [unknown] = useState<UnknownOutcomes>(() => new Map());
  const { send, isSending, error } = useAction(props, unknown);
  // As it begins, the form makes each list anew: with its inputs already there, they would be made twice.
  const [begun, setBegun] = useState<number>();
  useLayoutEffect(() => setBegun(version), [version]);
  const hasBegun = begun === version;
  const { place, storeFocus } = useRestoredFocus(hasBegun && !isSending);
  return (
    // A field for a few words is not as wide as a large screen.
    <Box ref={place} sx={{ maxWidth: '64rem' }}>
      <Form
        key={version}
        // Without a record, the form would have that of the page, and begin again when it is read again.
        record={input as Partial<RaRecord>}
        onSubmit={async (values: FieldValues, event?: BaseSyntheticEvent) => {
          storeFocus();
          return send(values as Input, event?.target);
        }}
        disableInvalidFormNotification
        shouldFocusError={false}
        warnWhenUnsavedChanges
      >
        <div inert={isSending}>{hasBegun && children}</div>
        <FormProblem error={error} />
        <Box sx={{ my: 2 }}>
          <Button type="submit" variant="contained" loading={isSending}>
            {error ? 'Try again' : label}
          </Button>
        </Box>
      </Form>
    </Box>
  );
}

/** Returns the focus to the field or the button that had it before the form was sent, which takes it away. */
function useRestoredFocus(isReady: boolean) {
  const place = useRef<HTMLDivElement>(null);
  const stored = useRef<string>(undefined);
  const storeFocus = () => {
    const name = document.activeElement?.getAttribute('name');
    stored.current = name ? `[name="${name}"]` : '[type=submit]';
  };
  useEffect(() => {
    if (!isReady || !stored.current) return;
    if (document.activeElement === document.body) place.current?.querySelector<HTMLElement>(stored.current)?.focus();
    stored.current = undefined;
  }, [isReady]);
  return { place, storeFocus };
}
