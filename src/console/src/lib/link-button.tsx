import Button, { type ButtonProps } from '@mui/material/Button';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

import { useScope } from '../session/session.ts';

interface LinkButtonProps {
  readonly to: string;
  readonly label: string;
  /** Without this scope the button is not shown. */
  readonly scope: string;
  readonly variant?: ButtonProps['variant'];
}

/** A button that leads to another page of the console. */
export function LinkButton({ to, label, scope, variant = 'contained' }: LinkButtonProps): ReactNode {
  if (!useScope(scope)) return null;
  return (
    <Button size="small" variant={variant} component={Link} to={to}>
      {label}
    </Button>
  );
}
