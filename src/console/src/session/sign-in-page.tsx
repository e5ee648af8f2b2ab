import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { email, Form, required } from 'react-admin';
import type { FieldValues } from 'react-hook-form';
import { useLocation } from 'react-router';

import { directAdmin } from '../admin.ts';
import { messageOf } from '../lib/errors.ts';
import { TextInput } from '../lib/inputs.tsx';
import { storeRequestedPage } from './requested-page.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import { findStore, storeHeader, storeLastStore } from './store.ts';

interface Visitor {
  readonly store: string;
  readonly email: string;
}

/** Where staff enter their email to get a link. */
export function SignInPage() {
  const [sentTo, setSentTo] = useState<string>();
  const [error, setError] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  // react-admin says here which page was requested, unless someone signed out.
  const requested: { nextPathname?: string; nextSearch?: string } | null = useLocation().state;
  const send = async ({ store, email }: Visitor) => {
    setError(undefined);
    setIsSending(true);
    try {
      await directAdmin.requestSignInLink({ email }, { headers: { [storeHeader]: store } });
      storeLastStore(store);
      storeRequestedPage(`${requested?.nextPathname ?? '/'}${requested?.nextSearch ?? ''}`);
      setSentTo(email);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setIsSending(false);
    }
  };

  if (sentTo)
    return (
      <SignInFrame title="Check your email">
        <Typography>If {sentTo} belongs to the staff of this store, a link to sign in is on its way.</Typography>
        <Typography>At most five are sent per hour.</Typography>
        <Button onClick={() => setSentTo(undefined)}>Use another email</Button>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Sign in">
      <Form onSubmit={(values: FieldValues) => send(values as Visitor)} defaultValues={{ store: findStore() }}>
        <TextInput source="store" label="Store" helperText="For example cedar-and-clay" validate={required()} />
        <TextInput source="email" label="Email" type="email" autoComplete="email" validate={[required(), email()]} />
        {error && <Alert severity="error">{error}</Alert>}
        <Button type="submit" variant="contained" fullWidth loading={isSending}>
          Email me a link
        </Button>
      </Form>
    </SignInFrame>
  );
}
