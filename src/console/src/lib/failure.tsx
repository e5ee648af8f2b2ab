import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';

import { messageOf } from './errors.ts';

interface FailureProps {
  readonly error: unknown;
  readonly retry: () => unknown;
}

/** What could not be read, and a button that reads it again. */
export function Failure({ error, retry }: FailureProps): ReactNode {
  return (
    <Alert
      severity="error"
      sx={{ whiteSpace: 'pre-line', my: 2 }}
      action={
        <Button color="inherit" onClick={() => retry()}>
          Try again
        </Button>
      }
    >
      {messageOf(error)}
    </Alert>
  );
}
