import { invalidRequest } from '#src/lib/errors.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { cellOf, cellOfProgram } from './csv.ts';
import type { TableFormat } from './import-kind.ts';

/** Columns of the list of rejected rows, which may be corrected and sent as it is. */
export const problemColumns = ['import_row', 'import_problem'] as const;

const [namesMax, nameCharactersMax] = [10, 60];

/**
 * The columns that a header names, capitals or not.
 * @throws DomainError `invalid_request` for columns that are missing, unknown, or repeated
 */
export function columnsNamed(
  { required, optional, otherColumns }: TableFormat,
  header: readonly string[],
): readonly string[] {
  const known = [...required, ...optional, ...problemColumns];
  const byLowerCase = new Map(known.map((name) => [name.toLowerCase(), name]));
  const columns = header.map((name) => byLowerCase.get(name.toLowerCase()) ?? name);
  const lacking = required.filter((name) => !columns.includes(name));
  const unknown = otherColumns === 'rejected' ? columns.filter((name) => !known.includes(name)) : [];
  const repeated = columns.filter((name, index) => columns.indexOf(name) !== index);
  const faults = [
    lacking.length > 0 && `The file lacks the columns ${listed(lacking)}.`,
    unknown.length > 0 &&
      `The columns ${listed(unknown)} are unknown. What can be imported is ${[...required, ...optional].join(', ')}.`,
    repeated.length > 0 && `The columns ${listed(repeated)} occur twice.`,
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw invalidRequest(faults.join(' '));
  return columns;
}

/**
 * @throws DomainError `invalid_request` for a row that has no cell for a column, or one that is not empty for none, and
 *   for the header of another file that was put below
 */
export function checkCells(cells: readonly string[], columns: readonly string[]): void {
  if (columns.every((name, index) => cells[index]?.trim().toLowerCase() === name.toLowerCase()))
    throw invalidRequest('The row repeats the header.');
  const isComplete = cells.length >= columns.length;
  if (isComplete && cells.slice(columns.length).every((cell) => cell.trim() === '')) return;
  throw invalidRequest(`The row has ${cells.length} cells, and the header has ${columns.length}.`);
}

/** How a cell of a table is read. A list of rejected rows is ours, whatever it is of. */
export function cellReader(table: TableFormat | undefined, columns: readonly string[]): (text: string) => string {
  const isOwn = !table?.isOfProgram || problemColumns.every((name) => columns.includes(name));
  return isOwn ? cellOf : cellOfProgram;
}

/**
 * What a table calls the place of an issue: its column. A field has it under its own name or under one of
 * `columnsOf`, or else is part of one that has.
 */
export function columnAt({ required, optional, columnsOf = {} }: TableFormat, path: string): string {
  const names = path.split('/').filter((name) => name !== '' && !/^\d+$/.test(name));
  const columns = [...required, ...optional, ...Object.values(columnsOf)];
  for (; names.length > 0; names.pop()) {
    const column = columnsOf[names.join('/')] ?? names.at(-1);
    if (column && columns.includes(column)) return column;
  }
  return path.slice(1);
}

/** The names of columns in a message. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => `"${oneLine(name, nameCharactersMax)}"`);
  return [...shown, ...(names.length > namesMax ? ['…'] : [])].join(', ');
}

/** The name of the format whose lines are JSON. */
export const jsonLines = 'jsonl';
