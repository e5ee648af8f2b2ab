import { readPage } from '#src/database/read-page.ts';
import { readOne, transact } from '#src/database/transact.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { found } from '#src/lib/errors.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type, Url } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';

/** A third party's name, as it appears in its callback URL. */
export const IntegrationProvider = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 50,
  examples: ['bookkeeper'],
});

/** A connection to a third party, without the data received from it. */
export type Connection = Omit<RowOf<typeof IntegrationView>, 'status'>;

/** The columns of `integration_connections` that make a `Connection`. */
export const connectionColumns: Sql = sql`
  id, provider, return_url as "returnUrl", expires_at as "expiresAt", received_at as "receivedAt",
  created_at as "createdAt"`;

/** @throws DomainError `not_found` */
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

/** The connections of the store, newest first, page by page. @throws DomainError `invalid_cursor` */
export async function listConnections(ctx: Context, page: PageRequest): Promise<Page<Connection>> {
  return readPage<Connection>(
    ctx,
    { name: 'integrations', columns: ['id'], descending: true },
    page,
    (position) => sql`
    select ${connectionColumns}${position} from integration_connections
    where tenant_id = ${ctx.tenant.id}`,
    { replica: true },
  );
}

/** Sealed data is bound to this field name and to its store. */
export const receivedField = 'integration_received';

/** A connection with the data received, decrypted. */
export interface OpenedConnection extends Connection {
  /** The query received. Secret: it may hold an authorization code for the store's account there. */
  readonly received: Readonly<Record<string, unknown>>;
}

/** The connection with the data received. @returns `undefined` when nothing was received yet */
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
 * Show the owner the data received; null when there is none yet. The audit log records who read it.
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

/** A connection as the owner sees it, without the data received. */
export const IntegrationView = Type.Object(
  {
    id: Id('conn'),
    provider: IntegrationProvider,
    status: Type.Enum(['pending', 'answered', 'expired'], {
      description:
        '`answered` once the third party sent the browser back, `pending` until then, `expired` after the deadline.',
    }),
    /** Where the owner's browser ends up. */
    return_url: Url,
    /** Until when the owner may complete the consent. */
    expires_at: Timestamp,
    /** When the third party sent the browser back. */
    received_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'Integration' },
);

export function presentConnection(connection: Connection, clock: Clock): Static<typeof IntegrationView> {
  const statusUntilReceived = connection.expiresAt > clock.now() ? 'pending' : 'expired';
  return presentAs(IntegrationView, {
    ...connection,
    status: connection.receivedAt ? 'answered' : statusUntilReceived,
  });
}
