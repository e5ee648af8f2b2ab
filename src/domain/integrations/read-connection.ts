import { readOne, transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { type Connection, connectionColumns, findConnection } from './find-connection.ts';

/** The field that sealed text is bound to. */
export const receivedField = 'integration_received';

/** A connection to a third party, opened for whoever goes on with it. */
export interface OpenedConnection extends Connection {
  /** The query that it brought. Secret: it may hold a code that opens the store's account there. */
  readonly received: Readonly<Record<string, unknown>>;
}

/** What a third party brought; `undefined` while nothing has come. */
export async function readConnection(ctx: Context, id: string): Promise<OpenedConnection | undefined> {
  const row = await readOne<Connection & { sealed: string }>(
    ctx,
    sql`
    select ${connectionColumns}, received_sealed as sealed from integration_connections
    where tenant_id = ${ctx.tenant.id} and id = ${id} and received_at is not null`,
  );
  if (!row) return undefined;
  const { sealed, ...connection } = row;
  return { ...connection, received: JSON.parse(ctx.keyring.open(ctx.tenant.id, receivedField, sealed)) };
}

/**
 * Tell the owner what a third party brought; `received` is null while nothing has come. Who looked is written down.
 * @throws DomainError `not_found`
 */
export async function revealConnection(
  ctx: Context,
  { id }: { id: string },
): Promise<Connection & { received: OpenedConnection['received'] | null }> {
  const opened = await readConnection(ctx, id);
  if (!opened) return { ...(await findConnection(ctx, { id })), received: null };
  await transact(ctx, (ctx) =>
    recordAudit(ctx, {
      action: 'integration.revealed',
      subjectKind: 'integration_connection',
      subjectId: id,
    }),
  );
  return opened;
}
