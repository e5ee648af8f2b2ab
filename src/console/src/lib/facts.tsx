import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import CardContent from '@mui/material/CardContent';
import Typography from '@mui/material/Typography';
import { Fragment, type ReactNode } from 'react';

import { afterPartsAbove } from './loaded.tsx';

interface PanelProps {
  readonly title: string;
  /** The buttons of what the panel shows. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with its heading and its buttons. */
export function Panel({ title, actions, children }: PanelProps): ReactNode {
  return (
    <Card component="section" variant="outlined" sx={{ mb: 2, ...afterPartsAbove }}>
      <CardContent sx={holdsFacts}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', mb: 1 }}>
          <Typography variant="h6" component="h2" sx={{ flexGrow: 1 }}>
            {title}
          </Typography>
          {actions}
        </Box>
        {children}
      </CardContent>
    </Card>
  );
}

/** What people wrote has its lines, each in its own direction. */
export const asWritten = { whiteSpace: 'pre-line', unicodeBidi: 'plaintext' } as const;

/** What holds facts: where it is too narrow for the size of the text, a value is below its name. */
export const holdsFacts = { containerType: 'inline-size' } as const;

interface FactsProps {
  readonly of: readonly (readonly [name: string, value: ReactNode])[];
  /** On which side the values stand below each other. */
  readonly align?: 'left' | 'right';
}

/** Names and values below each other, without those that are not there. */
export function Facts({ of, align = 'left' }: FactsProps): ReactNode {
  return (
    <Box
      component="dl"
      sx={{
        display: 'grid',
        gridTemplateColumns: 'minmax(6rem, auto) 1fr',
        '@container (max-width: 16rem)': { gridTemplateColumns: 'minmax(0, 1fr)' },
        columnGap: 2,
        rowGap: 0.5,
        m: 0,
      }}
    >
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([name, value]) => (
          <Fragment key={name}>
            <Typography component="dt" variant="body2" sx={{ color: 'text.secondary' }}>
              {name}
            </Typography>
            <Typography
              component="dd"
              variant="body2"
              sx={{ m: 0, overflowWrap: 'anywhere', textAlign: align, ...asWritten }}
            >
              {value}
            </Typography>
          </Fragment>
        ))}
    </Box>
  );
}
