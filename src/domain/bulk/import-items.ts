import { invalidRequest } from '#src/lib/errors.ts';
import { type Issue, issuesOf } from '#src/lib/validation.ts';
import type { Context } from '../context.ts';
import { type Item, type ItemWork, rowAt } from './apply-items.ts';
import { cellReader, checkCells, columnAt } from './columns.ts';
import type { ImportMode, Row, TableFormat } from './import-kind.ts';
import { isAbbreviated, isObject } from './kinds/cells.ts';
import { importKindOf, tableOf } from './kinds/index.ts';
import type { Operation } from './operation.ts';
import { parseLine } from './read-rows.ts';

/** What an import does with the rows of its file. */
export function importItems(ctx: Context, operation: Operation): ItemWork {
  const kind = importKindOf(operation);
  const mode: ImportMode = operation.options['mode'] === 'create' ? 'create' : 'upsert';
  const table = tableOf(operation);
  const parse = parserOf(ctx, operation);
  return {
    valueOf(item) {
      const value = parse(item);
      const issues = issuesOf(kind.schema, value);
      if (issues.length > 0)
        throw invalidRequest('The row is not valid.', ...issues.map((issue) => namingPart(issue, item, value)));
      return value;
    },
    save: (ctx, values) => kind.save(ctx, values, mode),
    namingPart,
    auditedAs: kind.auditedAs,
    ...(table && { columnAt: (path: string) => columnAt(table, path) }),
  };
}

/** Where a thing has several rows, an issue says of which variant it is, or of which row of an order. */
function namingPart(issue: Issue, item: Item, value: unknown): Issue {
  const { variants = [] } = value as { variants?: readonly { readonly sku?: unknown }[] };
  if (issue.path === '/variants' && issue.code === 'maxItems')
    return { ...issue, detail: `A product ${issue.detail.replace('items', 'variants')}, not ${variants.length}` };
  const [, list, index] = /^\/(variants|items)\/(\d+)/.exec(issue.path) ?? [];
  if (index === undefined || item.cells.length === 1) return issue;
  const variant = `variant ${variants[Number(index)]?.sku ?? Number(index) + 1}`;
  return { ...issue, detail: `${issue.detail} (${list === 'items' ? `row ${rowAt(item, Number(index))}` : variant})` };
}

function parserOf(ctx: Context, operation: Operation): (item: Item) => unknown {
  const table = tableOf(operation);
  const { readLine } = importKindOf(operation);
  if (!table)
    return ({ cells: [[line = ''] = []] }) => {
      const value = parseLine(line);
      return readLine && isObject(value) ? readLine(value) : value;
    };
  const columns = operation.columns ?? [];
  const readCell = cellReader(table, columns);
  const rowOf = (cells: readonly string[]): Row => {
    checkCells(cells, columns);
    const row = Object.fromEntries(columns.map((name, index) => [name, readCell(cells[index]?.trim() ?? '')]));
    checkIdentifiers(table, row);
    return row;
  };
  return ({ cells }) => table.valueOf(cells.map(rowOf), ctx);
}

/** @throws DomainError `invalid_request` for one that lacks digits: several things may have become the same */
function checkIdentifiers({ identifiers = [] }: TableFormat, row: Row): void {
  const wrong = identifiers.filter((column) => isAbbreviated(row[column] ?? ''));
  if (wrong.length === 0) return;
  throw invalidRequest(
    'A number is abbreviated.',
    ...wrong.map((column) => ({
      path: `/${column}`,
      code: 'abbreviated',
      detail: `must have all its digits, not ${row[column]}: format the column as text in the spreadsheet`,
    })),
  );
}
