import Link from '@mui/material/Link';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import Typography from '@mui/material/Typography';
import { Link as RouterLink } from 'react-router';

import { admin } from '../../admin.ts';
import { Panel } from '../../lib/facts.tsx';
import { Loaded } from '../../lib/loaded.tsx';
import { hasScope, useSession } from '../../session/session.ts';

/** Something that waits, and the page where it is done. */
interface Step {
  readonly scope: string;
  readonly count: (signal: AbortSignal) => Promise<Counted>;
  readonly one: string;
  readonly many: string;
  readonly to: string;
}

interface Counted {
  readonly count: number;
  readonly hasMore: boolean;
}

const limit = 100;
const counted = (rows: readonly unknown[], cursor: string | null): Counted => ({
  count: rows.length,
  hasMore: cursor !== null,
});
const filtered = (page: string, filter: object) => `/${page}?filter=${encodeURIComponent(JSON.stringify(filter))}`;

const steps: readonly Step[] = [
  {
    scope: 'admin.orders:read',
    one: 'order needs attention',
    many: 'orders need attention',
    to: filtered('orders', { needs_attention: true }),
    count: async (signal) => {
      const { orders, cursor } = await admin.listOrders({ needs_attention: true, limit }, { signal });
      return counted(orders, cursor);
    },
  },
  {
    scope: 'admin.labels:read',
    one: 'label waits',
    many: 'labels wait',
    to: '/labels',
    count: async (signal) => {
      const { labels, cursor } = await admin.listLabels({ state: 'needs_attention', limit }, { signal });
      return counted(labels, cursor);
    },
  },
  {
    scope: 'admin.returns:read',
    one: 'return is to be decided',
    many: 'returns are to be decided',
    to: filtered('returns', { status: 'requested' }),
    count: async (signal) => {
      const { returns, cursor } = await admin.listReturns({ status: 'requested', limit }, { signal });
      return counted(returns, cursor);
    },
  },
  {
    scope: 'admin.content:read',
    one: 'review is to be moderated',
    many: 'reviews are to be moderated',
    to: filtered('reviews', { status: 'pending' }),
    count: async (signal) => {
      const { reviews, cursor } = await admin.listReviews({ status: 'pending', limit }, { signal });
      return counted(reviews, cursor);
    },
  },
  {
    scope: 'admin.orders:read',
    one: 'subscription is past due',
    many: 'subscriptions are past due',
    to: filtered('subscriptions', { status: 'past_due' }),
    count: async (signal) => {
      const { subscriptions, cursor } = await admin.listSubscriptions({ status: 'past_due', limit }, { signal });
      return counted(subscriptions, cursor);
    },
  },
  {
    scope: 'admin.webhooks:read',
    one: 'webhook endpoint fails',
    many: 'webhook endpoints fail',
    to: '/webhooks',
    count: async (signal) => {
      const { webhook_endpoints: endpoints } = await admin.listWebhookEndpoints({ limit }, { signal });
      return counted(
        endpoints.filter(({ failing_since }) => failing_since),
        null,
      );
    },
  },
];

/** What needs attention, with the page that is the next step. */
export function NextSteps() {
  const session = useSession();
  if (!session) return null;
  const allowed = steps.filter(({ scope }) => hasScope(session, scope));
  return (
    <Panel title="Needs attention">
      <Loaded queryKey={['next-steps']} load={(signal) => countAll(allowed, signal)} refetchInterval={60_000}>
        {(waiting) =>
          waiting.length === 0 ? (
            <Typography>Nothing needs attention.</Typography>
          ) : (
            <List disablePadding>
              {waiting.map(({ to, text }) => (
                <ListItem key={to} disableGutters>
                  <Link component={RouterLink} to={to}>
                    {text}
                  </Link>
                </ListItem>
              ))}
            </List>
          )
        }
      </Loaded>
    </Panel>
  );
}

async function countAll(allowed: readonly Step[], signal: AbortSignal): Promise<{ to: string; text: string }[]> {
  const counts = await Promise.all(allowed.map(async (step) => ({ ...step, ...(await step.count(signal)) })));
  return counts
    .filter(({ count }) => count > 0)
    .map(({ to, count, hasMore, one, many }) => ({
      to,
      text: count === 1 ? `1 ${one}` : `${hasMore ? `Over ${count}` : count} ${many}`,
    }));
}
