import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Result } from '@storefront-commerce/client';

import { formatDay, formatMoney, formatOrders } from '../../lib/format.ts';
import { useCurrency } from '../../session/session.ts';

type Day = Result<'admin.getDailyAnalytics'>['days'][number];

const height = 120;
const barWidth = 10;

/** The revenue of each day as a bar. */
export function DailyPlot({ days }: { readonly days: readonly Day[] }) {
  const currency = useCurrency();
  const revenue = days.reduce((sum, { revenue_cents }) => sum + revenue_cents, 0);
  const orders = days.reduce((sum, { orders }) => sum + orders, 0);
  const most = Math.max(1, ...days.map(({ revenue_cents }) => revenue_cents));
  const first = days[0];
  const last = days.at(-1);
  if (!first || !last) return <Typography>There are no numbers yet. They appear with the first visit.</Typography>;
  return (
    <Box component="figure" sx={{ m: 0, mb: 2 }}>
      <Typography component="figcaption">
        {formatMoney(revenue, currency)} from {formatOrders(orders)}, by days in UTC
      </Typography>
      <Box
        component="svg"
        viewBox={`0 0 ${days.length * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Revenue by day, from ${formatDay(first.day)} to ${formatDay(last.day)}`}
        sx={{
          width: '100%',
          height,
          fill: (theme) => theme.palette.primary.main,
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        {days.map(({ day, revenue_cents: cents, orders }, index) => {
          const length = (height * cents) / most;
          return (
            <rect key={day} x={index * barWidth + 1} y={height - length} width={barWidth - 2} height={length}>
              <title>{`${formatDay(day)}: ${formatMoney(cents, currency)}, ${formatOrders(orders)}`}</title>
            </rect>
          );
        })}
      </Box>
      <Box sx={{ display: 'flex', justifyContent: 'space-between' }}>
        <Typography variant="caption">{formatDay(first.day)}</Typography>
        <Typography variant="caption">{formatDay(last.day)}</Typography>
      </Box>
    </Box>
  );
}
