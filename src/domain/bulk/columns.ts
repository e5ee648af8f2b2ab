import { oneLine } from '#src/lib/one-line.ts';

/** Columns of the list of rejected rows, which may be corrected and sent as it is. */
export const problemColumns = ['import_row', 'import_problem'] as const;

const [namesMax, nameCharactersMax] = [10, 60];

/** The names of columns in a message. */
export function columnsOf(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => `"${oneLine(name, nameCharactersMax)}"`);
  return [...shown, ...(names.length > namesMax ? ['…'] : [])].join(', ');
}

/** The name of the format whose lines are JSON. */
export const jsonLines = 'jsonl';
