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
}

/** Shows what was read from the API, or that it is being read, or why it could not be. */
export function Loaded<Data>({ load, children, ...options }: LoadedProps<Data>): ReactNode {
  const { data, error, refetch } = useQuery({ ...options, queryFn: ({ signal }) => load(signal) });
  if (data !== undefined) return children(data);
  return error ? <Failure error={error} retry={refetch} /> : <CircularProgress />;
}
