/** A column whose values the keyring encrypts, with all that is needed to encrypt them again with another key. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column that names the store. */
  readonly tenantColumn: string;
  /** The column that identifies the row within the store. */
  readonly idColumn: string;
  /** The field name that the value of this row is bound to, besides its store. */
  fieldOf(id: string): string;
}

/** Each domain lists its columns; a test finds columns that are not listed. `field`: what its values are bound to. */
export function sealedColumn(
  table: string,
  column: string,
  field: string | ((id: string) => string),
  { tenantColumn = 'tenant_id', idColumn = 'id' }: { tenantColumn?: string; idColumn?: string } = {},
): SealedColumn {
  return { table, column, tenantColumn, idColumn, fieldOf: (id) => (typeof field === 'string' ? field : field(id)) };
}
