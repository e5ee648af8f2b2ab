import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { WebhookDelivery } from '@storefront-commerce/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';

import { admin } from '../../admin.ts';
import { Panel } from '../../lib/facts.tsx';
import { Failure } from '../../lib/failure.tsx';
import { choicesOf, formatTime } from '../../lib/format.ts';
import { refetchInterval } from '../../lib/refetch-interval.ts';
import { Rows } from '../../lib/rows.tsx';
import { State } from '../../lib/texts.tsx';
import { DeliveryAttempts } from './delivery-attempts.tsx';

type DeliveryState = WebhookDelivery['state'];

const states: readonly DeliveryState[] = ['pending', 'delivered', 'failed', 'discarded'];

/** What was sent to an endpoint, the latest first. The filter is part of the URL. */
export function DeliveriesPanel({ endpointId }: { readonly endpointId: string }) {
  const [query, setQuery] = useSearchParams();
  const state = states.find((state) => state === query.get('state'));
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['deliveries', endpointId, state],
    queryFn: ({ signal, pageParam: cursor }) =>
      admin.listWebhookDeliveries(endpointId, { ...(state && { state }), ...(cursor && { cursor }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
    // Several pages are read one after the other.
    refetchInterval: (query) => (query.state.data && query.state.data.pages.length > 1 ? 5000 : refetchInterval(query)),
  });
  return (
    <Panel
      title="Deliveries"
      actions={
        <TextField
          select
          size="small"
          label="State"
          value={state ?? ''}
          onChange={({ target }) => setQuery(target.value ? { state: target.value } : {})}
          sx={{ minWidth: 140 }}
        >
          <MenuItem value="">All</MenuItem>
          {choicesOf(states).map(({ id, name }) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
        </TextField>
      }
    >
      {error && <Failure error={error} retry={refetch} />}
      {data ? (
        <Rows
          label="Deliveries"
          rows={data.pages.flatMap(({ deliveries }) => deliveries)}
          keyOf={({ id }) => id}
          empty={
            state
              ? 'No deliveries are in this state. Choose another state to see more.'
              : 'Events that are sent to the endpoint appear here, each with the response of its URL.'
          }
          columns={[
            { label: 'Event', show: ({ type }) => type },
            { label: 'State', show: ({ state }) => <State code={state} /> },
            { label: 'Created', show: ({ created_at }) => formatTime(created_at) },
            { label: 'Attempts', align: 'right', show: ({ attempt_count }) => attempt_count },
            { label: 'Last response', show: ({ last_status, last_failure }) => last_failure ?? last_status },
            { label: 'Next attempt', show: ({ next_attempt_at }) => next_attempt_at && formatTime(next_attempt_at) },
            { label: 'Details', show: (delivery) => <DeliveryAttempts delivery={delivery} /> },
          ]}
        />
      ) : (
        !error && <CircularProgress />
      )}
      {hasNextPage && (
        <Button onClick={() => fetchNextPage()} loading={isFetchingNextPage}>
          Show more
        </Button>
      )}
    </Panel>
  );
}
