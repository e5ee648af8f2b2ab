import { textWidth } from '#src/lib/text-width.ts';

/** Rows of text under each other, as wide as their widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => textWidth(row[column] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - textWidth(cell))))
      .join('  ')
      .trimEnd(),
  );
}
