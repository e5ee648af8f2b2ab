import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { Form, required } from 'react-admin';
import type { FieldValues } from 'react-hook-form';

import { directAdmin } from '../admin.ts';
import { messageOf } from '../lib/errors.ts';
import { TextInput } from '../lib/inputs.tsx';
import { useOpenGate } from './gates.ts';
import { refreshSession, useSession } from './session.ts';
import { onSignIn } from './sign-in-channel.ts';
import { storeHeader } from './store.ts';

/** What the open gate requires, over the page that waits for it. */
export function GateDialogs(): ReactNode {
  const open = useOpenGate();
  if (open?.gate === 'sign-in') return <SignInAgain close={open.close} />;
  if (open?.gate === 'second-factor') return <SecondFactor close={open.close} />;
  return null;
}

interface GateProps {
  readonly close: (isPassed: boolean) => void;
}

function SignInAgain({ close }: GateProps) {
  const session = useSession();
  const { message, error, attempt } = useAttempt();
  const resume = () =>
    attempt(async () => {
      const { staff } = await refreshSession();
      // What waits was requested by another member, who may have had other rights.
      if (session && staff.id !== session.staff.id) location.reload();
      else close(true);
      return undefined;
    });
  const sendLink = () =>
    attempt(async () => {
      if (!session) return undefined;
      const { staff, store } = session;
      await directAdmin.requestSignInLink({ email: staff.email }, { headers: { [storeHeader]: store.slug } });
      return `If ${staff.email} still belongs to the staff of this store, a link is on its way. Open it in this browser.`;
    });
  const resumeFromOtherTab = useEffectEvent(resume);
  useEffect(() => onSignIn(() => resumeFromOtherTab()), []);

  return (
    <Dialog open aria-labelledby="gate-title">
      <DialogTitle id="gate-title">Your session has ended</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>
          Sign in again in another tab. This page stays as it is, and continues by itself.
        </DialogContentText>
        {message && <Alert severity="info">{message}</Alert>}
        {error && <Alert severity="error">{error}</Alert>}
      </DialogContent>
      <DialogActions>
        <Button onClick={() => close(false)}>Cancel</Button>
        <Button onClick={resume}>Continue</Button>
        <Button variant="contained" onClick={sendLink}>
          Email me a link
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function SecondFactor({ close }: GateProps) {
  const isByEmail = useSession()?.staff.second_factor === 'email';
  const { message, error, attempt } = useAttempt();
  const sendCode = () =>
    attempt(async () => {
      await directAdmin.emailVerificationCode();
      return 'The code is on its way.';
    });
  const verify = ({ code }: { code: string }) =>
    attempt(async () => {
      await directAdmin.verifySession({ code: code.trim() });
      close(true);
      return undefined;
    });
  const sendFirstCode = useEffectEvent(sendCode);
  useEffect(() => {
    if (isByEmail) sendFirstCode();
  }, [isByEmail]);

  return (
    <Dialog open aria-labelledby="gate-title" onClose={() => close(false)}>
      <DialogTitle id="gate-title">Confirm that it is you</DialogTitle>
      <Form onSubmit={(values: FieldValues) => verify(values as { code: string })}>
        <DialogContent>
          <DialogContentText sx={{ mb: 2 }}>
            {isByEmail
              ? 'Enter the code from the email that we sent you.'
              : 'Enter the code of your authenticator app, or a recovery code.'}
          </DialogContentText>
          <TextInput source="code" label="Code" autoComplete="one-time-code" autoFocus validate={required()} />
          {message && <Alert severity="info">{message}</Alert>}
          {error && <Alert severity="error">{error}</Alert>}
        </DialogContent>
        <DialogActions>
          {isByEmail && <Button onClick={sendCode}>Send another code</Button>}
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button type="submit" variant="contained">
            Confirm
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** The outcome of the last attempt: a message of its own, or that of its error. */
function useAttempt() {
  const [message, setMessage] = useState<string>();
  const [error, setError] = useState<string>();
  const attempt = async (work: () => Promise<string | undefined>) => {
    try {
      setError(undefined);
      setMessage(await work());
    } catch (failure) {
      setMessage(undefined);
      setError(messageOf(failure));
    }
  };
  return { message, error, attempt };
}
