import type { Clock } from '#src/lib/clock.ts';
import { Id, Nullable, type Static, Timestamp, Type, Url } from '#src/lib/schema.ts';
import type { Connection } from './find-connection.ts';
import { IntegrationProvider } from './provider.ts';

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
