import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import type { Body, Result } from '@storefront-commerce/client';
import { useState } from 'react';
import { required } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Panel } from '../../lib/facts.tsx';
import { TextInput } from '../../lib/inputs.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { SecretDialog } from '../../lib/secret-dialog.tsx';
import { refreshSession, useSession } from '../../session/session.ts';
import { QrCode } from './qr-code.tsx';

/** How who is signed in confirms what is delicate: by email, or with an authenticator app. */
export function SecondFactorPanel() {
  const hasApp = useSession()?.staff.second_factor === 'totp';
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Panel title="Second factor">
      <Typography sx={{ mb: 2 }}>
        {hasApp
          ? 'Codes come from your authenticator app.'
          : 'Codes are emailed to you. An authenticator app is faster, and works without your mailbox.'}
      </Typography>
      {hasApp ? <RemoveApp /> : <AddApp onConfirmed={setCodes} />}
      {codes && (
        <SecretDialog title="Your recovery codes" value={codes.join('\n')} onClose={() => setCodes(undefined)} />
      )}
    </Panel>
  );
}

function AddApp({ onConfirmed }: { readonly onConfirmed: (codes: readonly string[]) => void }) {
  return (
    <Action<Body<'admin.confirmTotp'>, Result<'admin.confirmTotp'>>
      label="Use an authenticator app"
      run={async (input) => {
        const result = await admin.confirmTotp(input);
        await refreshSession();
        return result;
      }}
      onDone={({ recovery_codes }) => onConfirmed(recovery_codes)}
      done="Authenticator app set up."
    >
      <Loaded queryKey={['totp']} load={(signal) => admin.startTotp({ signal })} gcTime={0} staleTime={Infinity}>
        {({ otpauth_url: url, secret }) => (
          <>
            <Typography sx={{ mb: 2 }}>Scan this with your authenticator app.</Typography>
            <QrCode value={url} title="The QR code for your authenticator app" />
            <Typography sx={{ mb: 2, overflowWrap: 'anywhere' }}>
              On this phone, <Link href={url}>open it in the app</Link>; or enter this secret there:{' '}
              <code>{secret}</code>
            </Typography>
          </>
        )}
      </Loaded>
      <TextInput source="code" label="Code shown in the app" autoComplete="one-time-code" validate={required()} />
    </Action>
  );
}

function RemoveApp() {
  return (
    <Action
      label="Remove the authenticator app"
      color="error"
      text="Its recovery codes are removed as well. Codes will be emailed to you again."
      run={async () => {
        await admin.removeTotp();
        await refreshSession();
      }}
      done="Authenticator app removed."
    />
  );
}
