/** A column whose texts the keyring seals: what has to be known of it to seal them again under another key. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column that names the store. */
  readonly tenantColumn: string;
  /** The column that, beside the store, names the row. */
  readonly idColumn: string;
  /** What the text of this row is bound to, beside its store. */
  fieldOf(id: string): string;
}

/** Each domain lists its own; a test finds the column that nobody lists. `field` is what its texts are bound to. */
export function sealedColumn(
  table: string,
  column: string,
  field: string | ((id: string) => string),
  { tenantColumn = 'tenant_id', idColumn = 'id' }: { tenantColumn?: string; idColumn?: string } = {},
): SealedColumn {
  return { table, column, tenantColumn, idColumn, fieldOf: (id) => (typeof field === 'string' ? field : field(id)) };
}
