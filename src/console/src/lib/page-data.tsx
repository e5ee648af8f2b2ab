import type { ReactNode } from 'react';
import { ListBase, ShowBase } from 'react-admin';

import { refetchInterval } from './refetch-interval.ts';

/*
 * What a page shows is read by its route, at the same time as the module of the page. The page takes it from its
 * context. Its route has also found out who may open it: asking again would only delay the request.
 */

/** The page says it, in words for people. */
const onError = () => undefined;

interface ListDataProps {
  /** How often it is read again, while workers change it. */
  readonly refetchInterval?: number | undefined;
  readonly children: ReactNode;
}

/** The rows of the resource's list that the URL selects. */
export function ListData({ refetchInterval, children }: ListDataProps): ReactNode {
  return (
    <ListBase
      disableAuthentication
      exporter={false}
      storeKey={false}
      perPage={25}
      queryOptions={{ refetchInterval, onError }}
    >
      {children}
    </ListBase>
  );
}

const recordOptions = {
  refetchInterval,
  // Records of lists, which lack parts, are cached as the page's own, unless it has a meta.
  meta: { isWhole: true },
  onError,
};

/** The record of the resource that the URL names. */
export function RecordData({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <ShowBase disableAuthentication queryOptions={recordOptions} redirectOnError={false}>
      {children}
    </ShowBase>
  );
}
