import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { readOne } from '../database.ts';

/** The field that sealed text is bound to. */
export const receivedField = 'integration_received';

/** A connection to a third party, opened for whoever goes on with it. */
export interface Connection {
  readonly id: string;
  readonly provider: string;
  readonly receivedAt: Date;
  /** The query that it brought. Secret: it may hold a code that opens the store's account there. */
  readonly received: Readonly<Record<string, unknown>>;
}

/** What a third party brought; `undefined` while nothing has come. */
export async function readConnection(ctx: Context, id: string): Promise<Connection | undefined> {
  const row = await readOne<Omit<Connection, 'received'> & { sealed: string }>(ctx, sql`
    select id, provider, received_at as "receivedAt", received_sealed as sealed from integration_connections
    where tenant_id = ${ctx.tenant.id} and id = ${id} and received_at is not null`);
  if (!row) return undefined;
  const { sealed, ...connection } = row;
  return { ...connection, received: JSON.parse(ctx.keyring.open(ctx.tenant.id, receivedField, sealed)) };
}
