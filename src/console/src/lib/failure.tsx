import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Button from '@mui/material/Button';
import { ApiError } from '@storefront-commerce/client';
import type { ReactNode } from 'react';

import { messageOf } from './errors.ts';

interface FailureProps {
  /** What could not be read, where it is not all of the page. */
  readonly what?: string | undefined;
  readonly error: unknown;
  readonly retry: () => unknown;
}

/** Whether what was requested does not exist, or no longer. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** What could not be read, and a button that reads it again, unless it does not exist. */
export function Failure({ what, error, retry }: FailureProps): ReactNode {
  return (
    <Alert
      severity="error"
      sx={{ whiteSpace: 'pre-line', my: 2 }}
      action={
        !isMissing(error) && (
          <Button color="inherit" onClick={() => retry()}>
            Try again
          </Button>
        )
      }
    >
      {what && <AlertTitle>{what}</AlertTitle>}
      {messageOf(error)}
    </Alert>
  );
}

const unreachable = new ApiError('connection_failed', 'The page could not be loaded.');

/** Stands for a page whose script cannot be loaded: a browser loads it again with the whole console only. */
export function Unreachable(): ReactNode {
  return <Failure error={unreachable} retry={() => location.reload()} />;
}
