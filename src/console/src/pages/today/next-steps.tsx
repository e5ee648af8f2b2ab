import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import type { Overview } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Advice } from '../../lib/advice.tsx';
import { Panel } from '../../lib/facts.tsx';
import { formatTime, headingOf } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { Note } from '../../lib/note.tsx';
import { PageLink } from '../../lib/page-link.tsx';
import { useScope } from '../../session/session.ts';

interface Step {
  readonly text: string;
  /** What to do about it. */
  readonly next?: string;
  /** The areas of which a member needs `write` to do all of it. */
  readonly areas?: readonly string[];
  readonly to: string;
}

/** What waits for the people of the store, with the next step. */
export function NextSteps() {
  const mayModerate = useScope('admin.content:write');
  const maySetUp = useScope('admin.settings:read');
  const load = async (signal: AbortSignal) => {
    const [{ overview }, found] = await Promise.all([
      admin.getOverview({ signal }),
      maySetUp ? admin.getProviders({ signal }) : undefined,
    ]);
    return { steps: stepsOf(overview, mayModerate), lacksPayments: found?.providers.payments === null };
  };
  return (
    <Panel title="Needs attention">
      <Loaded queryKey={['overview']} load={load} refetchInterval={60_000}>
        {({ steps, lacksPayments }) => (
          <>
            {lacksPayments && <MissingPayments />}
            <Steps steps={steps} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** A new store has none, and waits for no order either. */
function MissingPayments() {
  return (
    <Note severity="warning">
      The store has no payment account, so it cannot sell yet. <PageLink to={places.payments}>Set up payments</PageLink>
    </Note>
  );
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0)
    return <Typography>Nothing needs attention. Problems with payments, orders and labels appear here.</Typography>;
  return (
    <List disablePadding>
      {steps.map(({ text, next, areas = [], to }) => (
        <ListItem key={text} disableGutters>
          <ListItemText
            primary={<PageLink to={to}>{text}</PageLink>}
            secondary={next && <Advice next={next} areas={areas} />}
          />
        </ListItem>
      ))}
    </List>
  );
}

function stepsOf(
  { attention, orders_without_label: withoutLabel, returns_requested: returns, reviews_pending: reviews }: Overview,
  mayModerate: boolean,
): Step[] {
  return [
    ...attention.map(({ kind, count, message, next, areas, oldest_at }) => ({
      text: headingOf(message, count),
      next: `Since ${formatTime(oldest_at)}. ${next}`,
      areas,
      to: places[kind],
    })),
    ...(withoutLabel > 0
      ? [
          {
            text: headingOf('Unshipped orders without a label', withoutLabel),
            next: 'Buy a label, ship them by hand, or refund them.',
            to: filtered('orders', { without_label: true }),
          },
        ]
      : []),
    ...(returns > 0
      ? [{ text: headingOf('Returns to review', returns), to: filtered('returns', { status: 'requested' }) }]
      : []),
    ...(reviews > 0 && mayModerate
      ? [{ text: headingOf('Reviews to moderate', reviews), to: filtered('reviews', { status: 'pending' }) }]
      : []),
  ];
}

const filtered = (page: string, filter: object) => `/${page}?filter=${encodeURIComponent(JSON.stringify(filter))}`;

/** Where each kind is done. */
const places: Readonly<Record<Overview['attention'][number]['kind'], string>> = {
  payments: '/settings/payments',
  order: filtered('orders', { needs_attention: true }),
  label: '/labels',
  duplicate_label: filtered('orders', { needs_attention: true }),
  shipping: '/settings/shipping',
  webhook_endpoint: '/webhooks',
  webhook_delivery: '/webhooks',
  email: filtered('orders', { email_unsent: true }),
  erasure: '/erasures',
};
