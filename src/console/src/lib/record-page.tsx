import CircularProgress from '@mui/material/CircularProgress';
import { Fragment, type ReactNode } from 'react';
import { type RaRecord, ShowBase, useResourceDefinition, useShowContext } from 'react-admin';

import { Failure } from './failure.tsx';
import { PageHeading } from './page-heading.tsx';
import { refetchInterval } from './refetch-interval.ts';

interface RecordPageProps<Row extends RaRecord> {
  readonly children: (record: Row) => ReactNode;
}

const queryOptions = {
  refetchInterval,
  // Records of lists, which lack parts, are cached as the page's own, unless it has a meta.
  meta: { isWhole: true },
  onError: () => undefined,
};

/** The page of one record of a resource. */
export function RecordPage<Row extends RaRecord>(props: RecordPageProps<Row>): ReactNode {
  return (
    <ShowBase queryOptions={queryOptions} redirectOnError={false}>
      <ShownRecord {...props} />
    </ShowBase>
  );
}

function ShownRecord<Row extends RaRecord>({ children }: RecordPageProps<Row>) {
  const { record, error, refetch } = useShowContext<Row>();
  const { options } = useResourceDefinition();
  // What was begun to edit belongs to one record.
  if (record) return <Fragment key={record.id}>{children(record as Row)}</Fragment>;
  if (!error) return <CircularProgress sx={{ m: 4 }} />;
  return (
    <>
      <PageHeading title={options?.label} />
      <Failure error={error} retry={refetch} />
    </>
  );
}
