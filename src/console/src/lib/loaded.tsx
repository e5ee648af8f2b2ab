import CircularProgress from '@mui/material/CircularProgress';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { Failure } from './failure.tsx';

interface LoadedProps<Data> {
  readonly queryKey: QueryKey;
  readonly load: (signal: AbortSignal) => Promise<Data>;
  readonly children: (data: Data) => ReactNode;
  /** How often it is read again, while workers change it. */
  readonly refetchInterval?: number;
  /** For what must not be shown again at a later visit. */
  readonly gcTime?: number;
  /** For what is another one each time it is read: it stays while it is shown, also where someone comes back to it. */
  readonly staleTime?: number;
  /** What is read, where several are read on a page: it is said if this one cannot be. */
  readonly what?: string;
}

const reading = 'reading';

/** Of a part that is not shown before those above it: what someone reads does not move when another part arrives. */
export const afterPartsAbove = { [`*:has(.${reading}) ~ &`]: { visibility: 'hidden' } } as const;

/** Shows what was read from the API, or that it is being read, or why it could not be. */
export function Loaded<Data>({ load, children, what, ...options }: LoadedProps<Data>): ReactNode {
  const { data, error, refetch } = useQuery({
    ...options,
    queryFn: ({ signal }) => load(signal),
    // Other filters leave what is shown where it is until theirs has arrived.
    placeholderData: (previous) => previous,
  });
  if (data !== undefined) return children(data);
  return error ? <Failure what={what} error={error} retry={refetch} /> : <CircularProgress className={reading} />;
}
