import Box from '@mui/material/Box';
import type { Theme } from '@mui/material/styles';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { type Dispatch, type ReactNode, type SetStateAction, useCallback, useId, useState } from 'react';

import { asWritten, Facts, holdsFacts } from './facts.tsx';
import { PageLink } from './page-link.tsx';
import { RetainRow, RowName } from './row-button.tsx';

export interface Column<Row> {
  readonly label: string;
  readonly show: (row: Row) => ReactNode;
  readonly align?: 'right' | undefined;
}

interface RowsProps<Row> {
  /** What the rows are, for readers of the screen. */
  readonly label: string;
  readonly rows: readonly Row[];
  /** The first one names the row and links to its page. */
  readonly columns: readonly [Column<Row>, ...Column<Row>[]];
  readonly keyOf: (row: Row) => string;
  readonly linkOf?: (row: Row) => string;
  /** Shown where there are no rows: what they are, and how the first one comes about. */
  readonly empty?: string;
}

/** Rows of which something is open, by key. */
type OpenRows<Row> = ReadonlyMap<string, Row>;

interface ShownRowsProps<Row> extends RowsProps<Row> {
  readonly setOpen: Dispatch<SetStateAction<OpenRows<Row>>>;
}

/**
 * Rows as a table, or below each other where that would be too wide. One of which something is open, such as a form, is
 * the last of them while it is no longer among those that are read.
 */
export function Rows<Row>(props: RowsProps<Row>): ReactNode {
  const isNarrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('md'));
  const [open, setOpen] = useState<OpenRows<Row>>(() => new Map());
  const keys = new Set(props.rows.map(props.keyOf));
  const rows = [...props.rows, ...[...open].filter(([key]) => !keys.has(key)).map(([, row]) => row)];
  if (rows.length === 0)
    return props.empty && <Typography sx={{ p: 2, color: 'text.secondary' }}>{props.empty}</Typography>;
  const shown = { ...props, rows, setOpen };
  return isNarrow ? <NarrowRows {...shown} /> : <WideRows {...shown} />;
}

interface RowPartsProps<Row> extends Pick<ShownRowsProps<Row>, 'keyOf' | 'setOpen'> {
  readonly row: Row;
  /** The id of the element that names the row. */
  readonly nameId: string;
  readonly children: ReactNode;
}

function RowParts<Row>({ row, nameId, keyOf, setOpen, children }: RowPartsProps<Row>) {
  const key = keyOf(row);
  const retain = useCallback(() => {
    setOpen((open) => new Map(open).set(key, row));
    return () => setOpen((open) => new Map([...open].filter(([other]) => other !== key)));
  }, [key, row, setOpen]);
  return (
    <RowName value={nameId}>
      <RetainRow value={retain}>{children}</RetainRow>
    </RowName>
  );
}

/** A long word breaks, and does not move the other columns out of the window. A number stays in one piece. */
const cellOf = (align: 'right' | undefined) => ({
  minWidth: 80,
  maxWidth: 320,
  overflowWrap: align === 'right' ? 'normal' : 'anywhere',
  ...asWritten,
});

function WideRows<Row>({ label, rows, columns: [name, ...columns], keyOf, linkOf, setOpen }: ShownRowsProps<Row>) {
  const id = useId();
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <Table size="small" aria-label={label}>
        <TableHead>
          <TableRow>
            {[name, ...columns].map(({ label, align }) => (
              <TableCell key={label} align={align}>
                {label}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((row, index) => (
            <TableRow key={keyOf(row)} hover>
              <TableCell id={`${id}${index}`} align={name.align} sx={{ ...cellOf(name.align), minWidth: 120 }}>
                <Name row={row} column={name} linkOf={linkOf} />
              </TableCell>
              <RowParts row={row} nameId={`${id}${index}`} keyOf={keyOf} setOpen={setOpen}>
                {columns.map(({ label, align, show }) => (
                  <TableCell key={label} align={align} sx={cellOf(align)}>
                    {show(row)}
                  </TableCell>
                ))}
              </RowParts>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}

function NarrowRows<Row>({ label, rows, columns: [name, ...columns], keyOf, linkOf, setOpen }: ShownRowsProps<Row>) {
  const id = useId();
  return (
    <Box
      component="ul"
      aria-label={label}
      sx={{ listStyle: 'none', m: 0, p: 0, overflowWrap: 'anywhere', ...holdsFacts }}
    >
      {rows.map((row, index) => (
        <Box component="li" key={keyOf(row)} sx={{ p: 2, borderBottom: 1, borderColor: 'divider' }}>
          <div id={`${id}${index}`}>
            <Name row={row} column={name} linkOf={linkOf} />
          </div>
          <RowParts row={row} nameId={`${id}${index}`} keyOf={keyOf} setOpen={setOpen}>
            <Facts of={columns.map(({ label, show }) => [label, show(row)])} />
          </RowParts>
        </Box>
      ))}
    </Box>
  );
}

function Name<Row>({ row, column, linkOf }: { row: Row; column: Column<Row> } & Pick<RowsProps<Row>, 'linkOf'>) {
  if (!linkOf) return column.show(row);
  return (
    <PageLink to={linkOf(row)} sx={{ fontWeight: 500 }}>
      {column.show(row)}
    </PageLink>
  );
}
