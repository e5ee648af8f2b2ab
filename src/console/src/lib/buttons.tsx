import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/** Buttons beside each other, in as many lines as they need. */
export const Buttons = ({ children }: { readonly children: ReactNode }) => (
  <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>{children}</Box>
);
