import { assignChanges, changedValues } from '#src/lib/assign-changes.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { buildEndpoint, findByUrl, rejectUnsafeUrl } from './build-endpoint.ts';
import type { EndpointEntry } from './endpoint-input.ts';
import { newSecret, openSecret, sealSecret } from './secret.ts';
import { saveLeases } from './slots.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/**
 * Create an endpoint of a store file or bring it into line with it; whatever the file leaves out stays. A new secret
 * is a rotation: the old one signs too for a day.
 *
 * The address is judged as it is written, for no name server is asked inside a transaction: each attempt resolves
 * and judges it anyway.
 * @throws DomainError `invalid_request` when the address may not be called
 */
export async function saveEndpoint(ctx: InTransaction, input: EndpointEntry): Promise<Change> {
  const subject = `webhook endpoint ${shown(input.url)}`;
  const endpoint = await findByUrl(ctx, input.url);
  if (!endpoint) {
    await rejectUnsafeUrl(ctx, input.url, { resolve: false });
    await buildEndpoint(ctx, input, input.secret ?? newSecret());
    return { subject, action: 'created', fields: Object.keys(input) };
  }
  const values = changedValues(endpoint, settingsOf(input));
  const fields = [...(await changeEndpoint(ctx, endpoint, input)), ...changeSecret(ctx, endpoint, input.secret)];
  return { subject, action: fields.length > 0 ? 'updated' : 'unchanged', fields, values };
}

/** Give an endpoint what is given; answers the names of what changed. */
export async function changeEndpoint(
  ctx: InTransaction,
  endpoint: WebhookEndpoint,
  given: Partial<EndpointEntry>,
): Promise<string[]> {
  const fields = assignChanges(endpoint, {
    ...(given.url !== undefined && { url: given.url }),
    ...settingsOf(given),
  });
  if (fields.length === 0) return fields;
  endpoint.touch(ctx.clock.now());
  if (fields.includes('rate_per_second')) endpoint.pacedUntil = null;
  if (fields.includes('concurrency')) await saveLeases(ctx, endpoint.id, endpoint.concurrency);
  await ctx.tx.em.flush();
  return fields;
}

const settingsOf = (given: Partial<EndpointEntry>) => ({
  ...(given.events && { events: [...given.events] }),
  ...(given.concurrency !== undefined && { concurrency: given.concurrency }),
  ...(given.rate_per_second !== undefined && { ratePerSecond: given.rate_per_second }),
});

function changeSecret(ctx: InTransaction, endpoint: WebhookEndpoint, secret: string | undefined): string[] {
  if (secret === undefined || openSecret(ctx, endpoint.secretSealed) === secret) return [];
  endpoint.rotateSecret(sealSecret(ctx, secret), ctx.clock.now());
  return ['secret'];
}

/** A query may hold a password. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
