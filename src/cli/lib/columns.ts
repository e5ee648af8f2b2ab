import { textWidth } from '#src/lib/text-width.ts';

/** Rows under their headings, or what is said when there are none. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], none: string): string[] {
  return rows.length > 0 ? columns([headings, ...rows]) : [none];
}

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
