import CircularProgress from '@mui/material/CircularProgress';
import { Fragment, type ReactNode, useMemo } from 'react';
import { type RaRecord, useResourceDefinition, useShowContext } from 'react-admin';

import { Failure, isMissing } from './failure.tsx';
import { PageHeading } from './page-heading.tsx';

interface RecordPageProps<Row extends RaRecord> {
  readonly children: (record: Row) => ReactNode;
}

/** The page of one record of a resource. */
export function RecordPage<Row extends RaRecord>({ children }: RecordPageProps<Row>): ReactNode {
  const { record, error, refetch } = useShowContext<Row>();
  const { options } = useResourceDefinition();
  // It is read again and again: while it stays as it is, nothing is drawn again.
  const page = useMemo(() => record && children(record as Row), [record, children]);
  // What was begun to edit belongs to one record.
  if (record)
    return (
      <>
        {/* Read before it was deleted: it stays, and so does what is entered in its forms. */}
        {isMissing(error) && <Failure error={error} retry={refetch} />}
        <Fragment key={record.id}>{page}</Fragment>
      </>
    );
  if (!error) return <CircularProgress sx={{ m: 4 }} />;
  return (
    <>
      <PageHeading title={options?.label} />
      <Failure error={error} retry={refetch} />
    </>
  );
}
