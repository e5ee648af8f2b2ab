import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { directAdmin } from '../admin.ts';
import { messageOf } from '../lib/errors.ts';
import { PageLink } from '../lib/page-link.tsx';
import { takeRequestedPage } from './requested-page.ts';
import { announceSignIn } from './sign-in-channel.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import { findStore, storeHeader, storeLastStore } from './store.ts';

/** Where an emailed link leads. One click is required, because scanners of emails open links, too. */
export function SignInLinkPage() {
  const { token = '' } = useParams();
  const [query] = useSearchParams();
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const store = query.get('store') ?? findStore();

  const signIn = async () => {
    setSending(true);
    setError(undefined);
    try {
      await directAdmin.signIn({ token }, { headers: { [storeHeader]: store } });
      storeLastStore(store);
      announceSignIn();
      // Nothing that was read before belongs to this session, and the token leaves the URL.
      history.replaceState(null, '', `/admin#${takeRequestedPage()}`);
      location.reload();
    } catch (failure) {
      setError(messageOf(failure));
      setSending(false);
    }
  };

  return (
    <SignInFrame title="Sign in">
      <Typography>Continue to the console of {store}.</Typography>
      {error && <Alert severity="error">{error}</Alert>}
      <Button variant="contained" onClick={signIn} loading={isSending}>
        Sign in
      </Button>
      {error && <PageLink to="/login">Get a new link</PageLink>}
    </SignInFrame>
  );
}
