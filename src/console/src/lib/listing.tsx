import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { ListView, type RaRecord, useListContext } from 'react-admin';

import { Failure } from './failure.tsx';
import { PageHeading } from './page-heading.tsx';
import { type Column, Rows } from './rows.tsx';
import { shownDisabled } from './shown-disabled.ts';

interface ListingProps<Row> {
  readonly title: string;
  readonly columns: readonly [Column<Row>, ...Column<Row>[]];
  /** The inputs that filter the rows. Their values are part of the URL. */
  readonly filters?: ReactElement[];
  readonly linkOf?: (row: Row) => string;
  /** The buttons of the page. */
  readonly actions?: ReactNode;
  /** What is said where there are none at all: what the list is for, and how its first row comes about. */
  readonly empty: string;
}

/** The list of a resource, page by page. Its filters and its page are part of the URL. */
export function Listing<Row extends RaRecord>(props: ListingProps<Row>): ReactNode {
  const { filters, actions, ...shown } = props;
  return (
    <>
      <PageHeading title={shown.title} actions={actions} />
      <ListView
        title={false}
        filters={filters}
        actions={false}
        empty={false}
        error={false}
        pagination={<Pager />}
        sx={{ '& .RaList-main': { minWidth: 0 } }}
      >
        <ListedRows {...shown} />
      </ListView>
    </>
  );
}

function ListedRows<Row extends RaRecord>({
  title,
  empty,
  columns,
  linkOf,
}: Omit<ListingProps<Row>, 'filters' | 'actions'>) {
  const { data, isPending, error, refetch, filterValues } = useListContext<Row>();
  const isFiltered = Object.keys(filterValues).length > 0;
  // Some are read again and again: while they stay as they are, nothing is drawn again.
  const rows = useMemo(
    () =>
      data && (
        <Rows
          label={title}
          rows={data}
          keyOf={({ id }) => String(id)}
          empty={isFiltered ? 'Nothing matches the filters. Change or clear them to see more.' : empty}
          columns={columns}
          {...(linkOf && { linkOf })}
        />
      ),
    [title, data, isFiltered, empty, columns, linkOf],
  );
  return (
    <>
      {/* For who does not see the rows: what came of a filter. */}
      <Typography role="status" sx={forReadersOfScreen}>
        {data && describeCount(data.length)}
      </Typography>
      {isPending && <Typography sx={{ p: 2 }}>Loading…</Typography>}
      {error && <Failure error={error} retry={refetch} />}
      {/* Rows that were read stay when they cannot be read again, and so does what is entered in their forms. */}
      {rows}
    </>
  );
}

const describeCount = (count: number): string => (count === 0 ? 'No rows' : count === 1 ? 'One row' : `${count} rows`);

/** Of what is for readers of the screen alone. */
const forReadersOfScreen = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
} as const;

function Pager() {
  const { page, setPage, hasNextPage, hasPreviousPage } = useListContext();
  if (!hasNextPage && !hasPreviousPage) return null;
  return (
    <Box component="nav" aria-label="Pages" sx={{ display: 'flex', alignItems: 'center', gap: 1, py: 1 }}>
      <PageButton label="Previous" isThere={hasPreviousPage} open={() => setPage(page - 1)} />
      <Typography variant="body2" role="status">
        Page {page}
      </Typography>
      <PageButton label="Next" isThere={hasNextPage} open={() => setPage(page + 1)} />
    </Box>
  );
}

interface PageButtonProps {
  readonly label: string;
  readonly isThere: boolean | undefined;
  readonly open: () => void;
}

/** Where the last page was opened with it, it keeps the focus, which would otherwise be lost. */
function PageButton({ label, isThere, open }: PageButtonProps) {
  return (
    <Button aria-disabled={!isThere} onClick={isThere ? open : undefined} sx={shownDisabled}>
      {label}
    </Button>
  );
}
