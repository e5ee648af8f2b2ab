import Link, { type LinkProps } from '@mui/material/Link';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';

/** A link to another page of the console. */
export function PageLink(props: LinkProps & { readonly to: string }): ReactNode {
  return <Link component={RouterLink} {...props} />;
}
