import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/** Short inputs side by side, as many as there is room for. */
export function InputGrid({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Box
      sx={{ display: 'grid', columnGap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(13rem, 100%), 1fr))' }}
    >
      {children}
    </Box>
  );
}
