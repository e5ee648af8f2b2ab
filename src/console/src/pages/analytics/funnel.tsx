import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { Result } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { formatCount, formatPercent } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';

type Step = Result<'admin.getFunnel'>['steps'][number];

const names: Readonly<Record<Step['step'], string>> = {
  viewed: 'Viewed a product',
  cart: 'Added to the cart',
  checkout: 'Started to check out',
  paid: 'Paid',
};

/** How many sessions reached each step. */
export function Funnel({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <Loaded queryKey={['funnel', from, to]} load={(signal) => admin.getFunnel({ from, to }, { signal })}>
      {({ steps }) => {
        // Who did not consent to analytics, or came by a link, is seen only in later steps.
        const all = Math.max(...steps.map(({ sessions }) => sessions));
        return steps.map((step) => <FunnelStep key={step.step} step={step} all={all} />);
      }}
    </Loaded>
  );
}

function FunnelStep({ step: { step, sessions }, all }: { readonly step: Step; readonly all: number }) {
  const percent = all === 0 ? 0 : Math.round((100 * sessions) / all);
  return (
    <Box sx={{ mb: 1 }}>
      <Box sx={{ display: 'flex', justifyContent: 'space-between' }}>
        <Typography variant="body2">{names[step]}</Typography>
        <Typography variant="body2">
          {formatCount(sessions)} ({formatPercent(percent)})
        </Typography>
      </Box>
      <LinearProgress variant="determinate" value={percent} aria-label={names[step]} />
    </Box>
  );
}
