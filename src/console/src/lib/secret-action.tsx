import { type ReactNode, useState } from 'react';

import { Action, type ActionProps } from './action.tsx';
import { SecretDialog } from './secret-dialog.tsx';

interface Props<Input extends object, Outcome> extends Omit<ActionProps<Input, Outcome>, 'onDone'> {
  readonly secretTitle: string;
  readonly secretOf: (result: Outcome) => string;
}

/** An action whose result has a secret, which is shown once. */
export function SecretAction<Input extends object, Outcome>({
  secretTitle,
  secretOf,
  ...action
}: Props<Input, Outcome>): ReactNode {
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Action<Input, Outcome> {...action} onDone={(result) => setSecret(secretOf(result))} />
      {secret && <SecretDialog title={secretTitle} value={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}
