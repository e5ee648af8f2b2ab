/**
 * The statements that restrict each row of a table to its tenant: row-level security, forced for the owner of the table
 * too, because the service connects as that owner.
 *
 * `nullif`, because PostgreSQL returns '' for a setting that an ended transaction had set. `case`, because the planner
 * assumes that few rows meet an `or`, and then does not use the indexes that return a list in its order.
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

/** The type of every id column: compared by byte, which sorts ids by age and keeps their indexes small and fast. */
export const id = 'text collate "C"';
