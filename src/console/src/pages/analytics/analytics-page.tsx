import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useSearchParams } from 'react-router';

import { admin } from '../../admin.ts';
import { Panel } from '../../lib/facts.tsx';
import { formatCode, formatCount, formatDay, formatMoney, formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { Rows } from '../../lib/rows.tsx';
import { useCurrency, useScope } from '../../session/session.ts';
import { DailyPlot } from './daily-plot.tsx';
import { daysAgo } from './days.ts';
import { Funnel } from './funnel.tsx';

/** The numbers of the days that were chosen, which are part of the URL. */
export function AnalyticsPage() {
  const [query, setQuery] = useSearchParams();
  // The URL changes a moment later, which is too late for an input that is being typed in.
  const [days, setDays] = useState({ from: query.get('from') ?? daysAgo(29), to: query.get('to') ?? daysAgo(0) });
  const { from, to } = days;
  const choose = (chosen: Partial<typeof days>) => {
    setDays({ ...days, ...chosen });
    // A day is entered digit by digit, and Back leads to the page before.
    setQuery({ ...days, ...chosen }, { replace: true });
  };
  const currency = useCurrency();
  return (
    <>
      <PageHeading title="Analytics">
        <DayField label="From (UTC)" day={from} onChange={(from) => choose({ from })} />
        <DayField label="To (UTC)" day={to} onChange={(to) => choose({ to })} />
      </PageHeading>
      <Panel title="Funnel">
        <Funnel from={from} to={to} />
      </Panel>
      <Panel title="By day">
        <Loaded queryKey={['daily', from, to]} load={(signal) => admin.getDailyAnalytics({ from, to }, { signal })}>
          {({ days }) => (
            <>
              <DailyPlot days={days} />
              <Rows
                label="Days"
                rows={days.toReversed()}
                keyOf={({ day }) => day}
                columns={[
                  { label: 'Day (UTC)', show: ({ day }) => formatDay(day) },
                  { label: 'Sessions', align: 'right', show: ({ sessions }) => formatCount(sessions) },
                  { label: 'Orders', align: 'right', show: ({ orders }) => formatCount(orders) },
                  { label: 'Revenue', align: 'right', show: (day) => formatMoney(day.revenue_cents, currency) },
                ]}
              />
            </>
          )}
        </Loaded>
      </Panel>
      <SearchesPanel />
      <RemindersPanel />
    </>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly day: string;
  readonly onChange: (day: string) => void;
}

function DayField({ label, day, onChange }: DayFieldProps) {
  return (
    <TextField
      size="small"
      fullWidth={false}
      type="date"
      label={label}
      value={day}
      onChange={({ target }) => target.value && onChange(target.value)}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  );
}

function SearchesPanel() {
  return (
    <Panel title="Searches without results">
      <Loaded
        queryKey={['zero-result-searches']}
        load={(signal) => admin.listZeroResultSearches({ limit: 50 }, { signal })}
      >
        {({ searches }) => (
          <Rows
            label="Searches without results"
            rows={searches}
            keyOf={({ query }) => query}
            empty="Every search in the last 90 days found something."
            columns={[
              { label: 'Search', show: ({ query }) => query },
              { label: 'Count', align: 'right', show: ({ count }) => formatCount(count) },
              { label: 'Last', show: ({ last_at }) => formatTime(last_at) },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function RemindersPanel() {
  if (!useScope('admin.customers:read')) return null;
  return (
    <Panel title="Reminders of saved carts">
      <Loaded queryKey={['reminders']} load={(signal) => admin.listReminders({ limit: 50 }, { signal })}>
        {({ reminders }) => (
          <Rows
            label="Reminders"
            rows={reminders}
            keyOf={({ id }) => id}
            empty="Reminders to shoppers who saved a cart but did not buy it appear here."
            columns={[
              { label: 'Email', show: ({ email }) => email },
              { label: 'Step', align: 'right', show: ({ step }) => step },
              { label: 'Due', show: ({ due_at }) => formatTime(due_at) },
              { label: 'Decision', show: ({ state, reason }) => formatCode(reason ?? state) },
              { label: 'Recovered', show: ({ recovered_order_id: order }) => (order ? 'Yes' : null) },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
