import Box from '@mui/material/Box';
import { admin } from '../../admin.ts';
import { Panel } from '../../lib/facts.tsx';
import { afterPartsAbove, Loaded } from '../../lib/loaded.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { useScope } from '../../session/session.ts';
import { DailyPlot } from '../analytics/daily-plot.tsx';
import { daysAgo } from '../analytics/days.ts';
import { Funnel } from '../analytics/funnel.tsx';
import { NextSteps } from './next-steps.tsx';
import { ShippingToday } from './shipping-today.tsx';

/** The first page of a morning: what needs attention, what ships, and how the store sells. */
export function Today() {
  const mayReadNumbers = useScope('admin.analytics:read');
  const mayReadOrders = useScope('admin.orders:read');
  return (
    <>
      <PageHeading title="Today" />
      <Box
        sx={{
          display: 'grid',
          columnGap: 2,
          // A role may see one part alone, which then has the whole width.
          gridAutoFlow: { lg: 'column' },
          gridAutoColumns: 'minmax(0, 1fr)',
          alignItems: 'start',
        }}
      >
        {mayReadOrders && (
          <Box sx={{ minWidth: 0 }}>
            <NextSteps />
            <ShippingToday />
          </Box>
        )}
        {mayReadNumbers && <Numbers />}
      </Box>
    </>
  );
}

function Numbers() {
  const [from, to] = [daysAgo(29), daysAgo(0)];
  return (
    <Box sx={(theme) => ({ minWidth: 0, [theme.breakpoints.down('lg')]: afterPartsAbove })}>
      <Panel title="Sales of the last 30 days">
        <Loaded queryKey={['daily', from, to]} load={(signal) => admin.getDailyAnalytics({ from, to }, { signal })}>
          {({ days }) => <DailyPlot days={days} />}
        </Loaded>
      </Panel>
      <Panel title="Funnel of the last 30 days">
        <Funnel from={from} to={to} />
      </Panel>
    </Box>
  );
}
