import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { type ReactNode, useEffect, useRef } from 'react';

/** A page for those who are not signed in. With another title, its heading takes the focus of the button that is gone. */
export function SignInFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(title);
  useEffect(() => {
    if (title !== shown.current) heading.current?.focus();
    shown.current = title;
  }, [title]);
  return (
    <Box component="main" sx={{ minHeight: '100vh', display: 'grid', placeItems: 'center', p: 2 }}>
      <title>{`${title} · Console`}</title>
      <Card variant="outlined" sx={{ width: '100%', maxWidth: 400, p: 3, display: 'grid', gap: 2 }}>
        <Typography ref={heading} tabIndex={-1} variant="h5" component="h1" sx={{ outline: 'none' }}>
          {title}
        </Typography>
        {children}
      </Card>
    </Box>
  );
}
