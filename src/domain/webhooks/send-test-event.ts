import { recordEvent } from '#src/outbox/record-event.ts';
import type { Context } from '../context.ts';
import { changeNamedEndpoint } from './change-endpoint.ts';
import { rejectDisabled } from './refuse-disabled.ts';

/**
 * Send `webhook.test` to an endpoint, whatever it chose. It is about the endpoint itself.
 * @throws DomainError `not_found`, or `invalid_request` when it is switched off
 */
export async function sendTestEvent(ctx: Context, { id }: { id: string }): Promise<{ eventId: string }> {
  let eventId = '';
  await changeNamedEndpoint(ctx, id, 'tested', async (ctx, endpoint) => {
    rejectDisabled(endpoint);
    eventId = recordEvent(ctx, 'webhook.test', id);
  });
  return { eventId };
}
