/**
 * The statements that make a table a tenant's: row-level security, enforced for its owner too, because this service
 * connects as the owner. `nullif` because PostgreSQL answers '' for a setting that an ended transaction had set; `case`
 * because the planner takes `or` for a condition that few rows meet, and then passes by the indexes of lists.
 */
export function tenantTable(table: string): string {
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy tenant on ${table} using (
      case when tenant_id = nullif(current_setting('app.tenant_id', true), '') then true
        else current_setting('app.platform', true) = 'on' end
    );`;
}

/** The type of every id column: compared byte by byte, which keeps the order of age and indexes small and fast. */
export const id = 'text collate "C"';
