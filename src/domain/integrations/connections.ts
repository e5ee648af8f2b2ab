import { read, readOne, transact } from '#src/database/transact.ts';
import type { Clock } from '#src/lib/clock.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { found } from '#src/lib/errors.ts';
import { Id, Nullable, type Static, Timestamp, Type, Url } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';

/** A third party's name, as it stands in the address that it calls. */
export const IntegrationProvider = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 50,
  examples: ['bookkeeper'],
});

/** A connection to a third party, as far as everybody may see it. */
export interface Connection {
  readonly id: string;
  readonly provider: string;
  /** Where the owner's browser ends up. */
  readonly returnUrl: string;
  /** Until when the third party may answer. */
  readonly expiresAt: Date;
  /** When it answered. */
  readonly receivedAt: Date | null;
  readonly createdAt: Date;
}

/** The columns of `integration_connections` that make a `Connection`. */
export const connectionColumns: Sql = sql`
  id, provider, return_url as "returnUrl", expires_at as "expiresAt", received_at as "receivedAt", created_at as "createdAt"`;

/** The connection of this id. @throws DomainError `not_found` */
export async function findConnection(ctx: Context, { id }: { id: string }): Promise<Connection> {
  return found(
    await readOne<Connection>(
      ctx,
      sql`
    select ${connectionColumns} from integration_connections where tenant_id = ${ctx.tenant.id} and id = ${id}`,
    ),
    'integration',
  );
}

/** The connections of the store, the newest first, page by page. @throws DomainError `invalid_cursor` */
export async function listConnections(ctx: Context, { cursor, limit = 20 }: PageRequest): Promise<Page<Connection>> {
  const list = keyset(ctx, 'integrations', { columns: ['id'], descending: true }, cursor);
  const rows = await read<Connection & { position: Position }>(
    ctx,
    sql`
    select ${connectionColumns}, ${list.position} as position from integration_connections
    where tenant_id = ${ctx.tenant.id} and ${list.after} order by ${list.by} limit ${limit + 1}`,
    { replica: true },
  );
  return list.page(rows, limit);
}

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

/** A connection to a third party as the owner sees it, without what it brought. */
export const IntegrationView = Type.Object(
  {
    id: Id('conn'),
    provider: IntegrationProvider,
    status: Type.Enum(['pending', 'answered', 'expired'], {
      description: 'Whether the third party sent the browser back: in time, not yet, or never.',
    }),
    return_url: Url,
    expires_at: Timestamp,
    received_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'Integration' },
);

export function presentConnection(connection: Connection, clock: Clock): Static<typeof IntegrationView> {
  const { id, provider, returnUrl, expiresAt, receivedAt, createdAt } = connection;
  const unanswered = expiresAt > clock.now() ? 'pending' : 'expired';
  return {
    id,
    provider,
    status: receivedAt ? 'answered' : unanswered,
    return_url: returnUrl,
    expires_at: expiresAt.toISOString(),
    received_at: receivedAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  };
}
