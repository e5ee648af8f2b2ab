import { isMailAddress } from '#src/lib/mail-address.ts';
import type { InTransaction } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import type { DisabledReason } from './endpoint-health.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** Tell the store's owner that an endpoint fails, or that it was switched off because of it. */
export async function warnOwner(
  ctx: InTransaction,
  endpoint: WebhookEndpoint,
  disabled: DisabledReason | null,
): Promise<void> {
  // A store whose owner cannot be written to goes on delivering.
  if (!isMailAddress(ctx.tenant.ownerEmail)) return;
  const { origin, pathname } = new URL(endpoint.url);
  await enqueueMail(ctx, {
    kind: 'endpoint_warning',
    to: ctx.tenant.ownerEmail,
    subjectId: endpoint.id,
    data: {
      address: origin + pathname,
      failing_since: endpoint.failingSince?.toISOString() ?? null,
      disabled: disabled === 'owner' ? null : disabled,
    },
  });
}
