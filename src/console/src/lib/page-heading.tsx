import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

import { useSession } from '../session/session.ts';

interface PageHeadingProps {
  readonly title: string;
  /** What stands beside the title: states and buttons. */
  readonly children?: ReactNode;
}

/** The heading of a page, which is also the title of the browser's tab. */
export function PageHeading({ title, children }: PageHeadingProps): ReactNode {
  const store = useSession()?.store.name;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', my: 2 }}>
      <title>{[title, store].filter(Boolean).join(' · ')}</title>
      <Typography variant="h5" component="h1" sx={{ overflowWrap: 'anywhere' }}>
        {title}
      </Typography>
      {children}
    </Box>
  );
}
