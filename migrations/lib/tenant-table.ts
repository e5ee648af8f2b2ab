/**
 * The statements that make a table a tenant's: row-level security, enforced for its owner too, because this service
 * connects as the owner. `nullif` because PostgreSQL answers '' for a setting that an ended transaction had set.
 */
export function tenantTable(table: string): string {
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy tenant on ${table} using (
      tenant_id = nullif(current_setting('app.tenant_id', true), '')
      or current_setting('app.platform', true) = 'on'
    );`;
}

/** The type of every id column: compared byte by byte, which keeps the order of age and indexes small and fast. */
export const id = 'text collate "C"';
