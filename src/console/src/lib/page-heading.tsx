import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

import { useSession } from '../session/session.ts';

interface PageHeadingProps {
  readonly title: string;
  /** What stands beside the title, such as a state. */
  readonly children?: ReactNode;
  /** The buttons of the page. */
  readonly actions?: ReactNode;
}

/**
 * The heading of a page, which is also the title of the browser's tab. It takes the focus that was on a link of the page
 * before it, which is gone, or in the frame around the pages: who opened one there does not go through all of the menu.
 */
export function PageHeading({ title, children, actions }: PageHeadingProps): ReactNode {
  const store = useSession()?.store.name;
  const heading = useRef<HTMLHeadingElement>(null);
  const { key, pathname } = useLocation();
  useEffect(() => {
    const isOpenedFromPage = key !== 'default';
    if (isOpenedFromPage && document.activeElement?.matches('body, nav[aria-label=Menu] *, header *'))
      heading.current?.focus();
  }, [key, pathname]);
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', my: 2 }}>
      <title>{[title, store].filter(Boolean).join(' · ')}</title>
      <Typography
        ref={heading}
        tabIndex={-1}
        variant="h5"
        component="h1"
        // Nothing can be done with it: who has the focus there sees it at the next step.
        sx={{ overflowWrap: 'anywhere', outline: 'none' }}
      >
        {title}
      </Typography>
      {children}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, ml: 'auto' }}>{actions}</Box>
    </Box>
  );
}
