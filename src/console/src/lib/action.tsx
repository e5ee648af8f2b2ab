import Button, { type ButtonProps } from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type BaseSyntheticEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { Form, type RaRecord, useTranslate } from 'react-admin';
import { flushSync } from 'react-dom';
import { type FieldValues, useFormState } from 'react-hook-form';

import { useScope } from '../session/session.ts';
import { FormProblem } from './form-problem.tsx';
import { RowButton, useRetainedRow } from './row-button.tsx';
import { type ActionRequest, type UnknownOutcomes, useAction } from './use-action.ts';
import { useFocusNearby } from './use-focus-nearby.ts';

export interface ActionProps<Input extends object, Outcome> extends ActionRequest<Input, Outcome> {
  readonly label: string;
  /** Without this scope the button is not shown; without a scope everyone has it. */
  readonly scope?: string;
  readonly title?: string;
  /** What the button says that sends it, where that is not the label. */
  readonly submit?: string;
  /** What it does, and what cannot be undone. */
  readonly text?: ReactNode;
  readonly color?: ButtonProps['color'];
  readonly variant?: ButtonProps['variant'];
  readonly disabled?: boolean;
  readonly onOpen?: () => void;
  /** The inputs of the form. */
  readonly children?: ReactNode;
}

/**
 * A button that opens a form, sends it, and says what came of it. After an error the form is as it was, and it warns
 * before it is closed, or the page is left, with unsaved input.
 */
export function Action<Input extends object, Outcome = unknown>(props: ActionProps<Input, Outcome>): ReactNode {
  const { label, scope, color = 'primary', variant = 'outlined', disabled = false, onOpen } = props;
  // Another action takes its place when what it acts on has changed, such as "Cancel" that of "Run".
  const [opened, setOpened] = useState<string>();
  const [unknown] = useState<UnknownOutcomes>(() => new Map());
  const opener = useFocusNearby();
  useRetainedRow(opened === label);
  const isAllowed = useScope(scope);
  if (!isAllowed) return null;
  const open = () => {
    onOpen?.();
    setOpened(label);
  };
  return (
    <>
      <RowButton ref={opener} color={color} variant={variant} disabled={disabled} onClick={open}>
        {label}
      </RowButton>
      {opened === label && <ActionDialog {...props} unknown={unknown} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function ActionDialog<Input extends object, Outcome>(
  props: ActionProps<Input, Outcome> & { readonly unknown: UnknownOutcomes; readonly onClose: () => void },
) {
  const { label, title = label, submit = label, text, color = 'primary', children, unknown, onClose, onDone } = props;
  // What it shows is read again while the form is open, and the form must not begin again.
  const [input] = useState(props.input ?? {});
  const titleId = useId();
  const translate = useTranslate();
  const isUnsaved = useRef(false);
  const close = () => {
    if (!isUnsaved.current || window.confirm(translate('ra.message.unsaved_changes'))) onClose();
  };
  const closeWith = (result: Outcome) => {
    // At once, so that the form does not block its page from being left for the result.
    flushSync(onClose);
    onDone?.(result);
  };
  const { send, isSending, error } = useAction({ ...props, input, onDone: closeWith }, unknown);
  return (
    <Dialog
      open
      fullWidth
      maxWidth="sm"
      onClose={(_, reason) => !isSending && reason !== 'backdropClick' && close()}
      aria-labelledby={titleId}
      sx={titleAndButtonsStay}
    >
      <DialogTitle id={titleId}>{title}</DialogTitle>
      {/* Without a record, the form would have that of the page. */}
      <Form
        record={input as Partial<RaRecord>}
        onSubmit={(values: FieldValues, event?: BaseSyntheticEvent) => send(values as Input, event?.target)}
        disableInvalidFormNotification
        shouldFocusError={false}
        warnWhenUnsavedChanges
        formRootPathname={noPage}
      >
        <UnsavedInput isUnsaved={isUnsaved} />
        <DialogContent>
          {text && <DialogContentText sx={{ mb: 2 }}>{text}</DialogContentText>}
          {children}
          <FormProblem error={error} />
        </DialogContent>
        <DialogActions>
          <Button onClick={close} disabled={isSending}>
            Close
          </Button>
          <Button type="submit" variant="contained" color={color} loading={isSending}>
            {error ? 'Try again' : submit}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** Every page is outside of the form: react-admin would take that of a record for a part of a form in its list. */
const noPage = 'none';

/** A form that is longer than the window is scrolled between its title and its buttons. */
const titleAndButtonsStay = { '& form': { display: 'flex', flexDirection: 'column', minHeight: 0 } } as const;

/** For the dialog around the form: whether it has input that would be lost. */
function UnsavedInput({ isUnsaved }: { readonly isUnsaved: RefObject<boolean> }) {
  const { dirtyFields } = useFormState();
  const isDirty = Object.keys(dirtyFields).length > 0;
  useEffect(() => {
    isUnsaved.current = isDirty;
  }, [isUnsaved, isDirty]);
  return null;
}
