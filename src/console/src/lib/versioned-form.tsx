import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { ApiError } from '@storefront-commerce/client';
import { type ReactNode, useState } from 'react';

import { EditForm } from './edit-form.tsx';
import { Rows } from './rows.tsx';

interface VersionedFormProps<Thing extends { readonly version: number }, Input extends object> {
  /** As it was when its page was opened. What is read again while someone edits does not change the form. */
  readonly thing: Thing;
  readonly inputOf: (thing: Thing) => Input;
  readonly read: () => Promise<Thing>;
  /** Saves the input if the thing still has this version. */
  readonly replace: (input: Input & { readonly version: number }) => Promise<Thing>;
  readonly done: string;
  readonly children: ReactNode;
}

/** A version that somebody else saved meanwhile, and what to do about it. */
interface Conflict<Input> {
  readonly theirs: Input;
  readonly mine: Input;
  readonly decide: (isMine: boolean) => void;
}

/** A form of a thing that two people may edit: who saves second sees both versions, and decides. */
export function VersionedForm<Thing extends { readonly version: number }, Input extends object>({
  thing,
  inputOf,
  read,
  replace,
  done,
  children,
}: VersionedFormProps<Thing, Input>): ReactNode {
  const [base, setBase] = useState(thing);
  const [conflict, setConflict] = useState<Conflict<Input>>();

  const save = async (mine: Input, { version }: Thing): Promise<Thing> => {
    try {
      return await replace({ ...mine, version });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'version_conflict')) throw error;
      const theirs = await read();
      const isMine = await new Promise<boolean>((decide) => setConflict({ theirs: inputOf(theirs), mine, decide }));
      setConflict(undefined);
      return isMine ? save(mine, theirs) : theirs;
    }
  };
  return (
    <>
      <EditForm<Input, Thing>
        key={base.version}
        input={inputOf(base)}
        run={(mine) => save(mine, base)}
        onDone={setBase}
        done={done}
      >
        {children}
      </EditForm>
      {conflict && <ConflictDialog {...conflict} />}
    </>
  );
}

function ConflictDialog<Input extends object>({ theirs, mine, decide }: Conflict<Input>) {
  return (
    <Dialog open fullWidth maxWidth="md" aria-labelledby="conflict-title">
      <DialogTitle id="conflict-title">Someone else changed this meanwhile</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>Choose the version to use.</DialogContentText>
        <Rows
          label="Differences"
          rows={differencesOf(theirs, mine)}
          keyOf={({ field }) => field}
          empty="Both versions are the same."
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

interface Difference {
  readonly field: string;
  readonly theirs: string;
  readonly mine: string;
}

function differencesOf<Input extends object>(theirs: Input, mine: Input): Difference[] {
  const fields = Object.keys(theirs) as (keyof Input & string)[];
  return fields
    .map((field) => ({ field, theirs: describe(theirs[field]), mine: describe(mine[field]) }))
    .filter((difference) => difference.theirs !== difference.mine);
}

const describe = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
