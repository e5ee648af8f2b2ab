import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { ApiError } from '@storefront-commerce/client';
import { type ReactNode, useState } from 'react';

import { useSession } from '../session/session.ts';
import { Action } from './action.tsx';
import { changesOf, differencesOf } from './differences.ts';
import { EditForm } from './edit-form.tsx';
import type { LabelOf } from './name-of-field.ts';
import { Rows } from './rows.tsx';

interface Versioned {
  readonly version: number;
}

/** How a thing is saved that two people may edit. */
interface VersionedSave<Thing extends Versioned, Input extends object> {
  readonly inputOf: (thing: Thing) => Input;
  readonly read: () => Promise<Thing>;
  /** Saves the input if the thing still has this version. */
  readonly replace: (input: Input & Versioned) => Promise<Thing>;
}

interface VersionedFormProps<Thing extends Versioned, Input extends object> extends VersionedSave<Thing, Input> {
  /** As it was when its page was opened. What is read again while someone edits does not change the form. */
  readonly thing: Thing;
  readonly done: string;
  /** The labels of inputs that the form may not show at the moment. */
  readonly hiddenLabelOf?: LabelOf | undefined;
  readonly children: ReactNode;
}

/** A form of a thing that two people may edit: who saves second sees both versions, and decides. */
export function VersionedForm<Thing extends Versioned, Input extends object>({
  thing,
  done,
  hiddenLabelOf,
  children,
  ...save
}: VersionedFormProps<Thing, Input>): ReactNode {
  const [base, setBase] = useState(thing);
  const { run, conflict } = useVersionedSave(save);
  return (
    <>
      <EditForm<Input, Thing>
        version={base.version}
        input={save.inputOf(base)}
        run={(mine, _, labelOf) => run(mine, base, labelOf)}
        onDone={setBase}
        done={done}
        hiddenLabelOf={hiddenLabelOf}
      >
        {children}
      </EditForm>
      {conflict}
    </>
  );
}

interface VersionedActionProps<Thing extends Versioned, Input extends object> extends VersionedSave<Thing, Input> {
  readonly thing: Thing;
  readonly title: string;
  readonly scope: string;
  readonly done: string;
  readonly children: ReactNode;
}

/** The same as an action: a button that opens the form. */
export function VersionedAction<Thing extends Versioned, Input extends object>({
  thing,
  inputOf,
  read,
  replace,
  ...action
}: VersionedActionProps<Thing, Input>): ReactNode {
  // The row is read again while the form is open.
  const [base, setBase] = useState(thing);
  const { run, conflict } = useVersionedSave({ inputOf, read, replace });
  return (
    <>
      <Action<Input, Thing>
        {...action}
        label="Edit"
        submit="Save"
        input={inputOf(base)}
        onOpen={() => setBase(thing)}
        run={(mine, _, labelOf) => run(mine, base, labelOf)}
      />
      {conflict}
    </>
  );
}

/** A version that another member saved meanwhile, and what to do about it. */
interface Conflict<Input> {
  readonly theirs: Input;
  readonly mine: Input;
  readonly labelOf: LabelOf;
  readonly decide: (isMine: boolean) => void;
}

/** Saves a thing, and asks with a dialog where another member saved it meanwhile. */
function useVersionedSave<Thing extends Versioned, Input extends object>({
  inputOf,
  read,
  replace,
}: VersionedSave<Thing, Input>): {
  run: (mine: Input, base: Thing, labelOf: LabelOf) => Promise<Thing>;
  conflict: ReactNode;
} {
  const [conflict, setConflict] = useState<Conflict<Input>>();
  const run = async (mine: Input, base: Thing, labelOf: LabelOf): Promise<Thing> => {
    try {
      return await replace({ ...mine, version: base.version });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'version_conflict')) throw error;
      const theirs = await read();
      const merged = { ...inputOf(theirs), ...changesOf(inputOf(base), mine) };
      const isMine = await new Promise<boolean>((decide) =>
        setConflict({ theirs: inputOf(theirs), mine: merged, labelOf, decide }),
      );
      setConflict(undefined);
      return isMine ? run(merged, theirs, labelOf) : theirs;
    }
  };
  return { run, conflict: conflict && <ConflictDialog {...conflict} /> };
}

function ConflictDialog<Input extends object>({ theirs, mine, labelOf, decide }: Conflict<Input>) {
  const currency = useSession()?.store.currency;
  return (
    <Dialog open fullWidth maxWidth="md" aria-labelledby="conflict-title">
      <DialogTitle id="conflict-title">Someone else changed this in the meantime</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>Choose the version to use.</DialogContentText>
        <Rows
          label="Differences"
          rows={differencesOf(theirs, mine, currency, labelOf)}
          keyOf={({ field }) => field}
          empty="Both versions are the same now: you can choose either."
          columns={[
            { label: 'Field', show: ({ field }) => field },
            { label: 'Theirs', show: ({ theirs }) => theirs },
            { label: 'Yours', show: ({ mine }) => mine },
          ]}
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={() => decide(false)}>Use theirs</Button>
        <Button variant="contained" onClick={() => decide(true)}>
          Save yours
        </Button>
      </DialogActions>
    </Dialog>
  );
}
