import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Context, InTransaction } from '../context.ts';
import type { EndpointInput } from './endpoint-input.ts';
import { sealSecret } from './secret.ts';
import { saveLeases } from './slots.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';

const defaultConcurrency = 4;

/** Write a new endpoint down, with its slots. */
export async function buildEndpoint(
  ctx: InTransaction,
  input: EndpointInput,
  secret: string,
): Promise<WebhookEndpoint> {
  const now = ctx.clock.now();
  const concurrency = input.concurrency ?? defaultConcurrency;
  const endpoint = ctx.tx.em.create(WebhookEndpoint, {
    tenantId: ctx.tenant.id,
    id: newId('whe'),
    url: input.url,
    events: [...input.events],
    concurrency,
    ratePerSecond: input.rate_per_second ?? null,
    secretSealed: sealSecret(ctx, secret),
    failures: 0,
    failuresInRow: 0,
    warnings: 0,
    breakerOpenings: 0,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  await ctx.tx.em.flush();
  await saveLeases(ctx, endpoint.id, concurrency);
  return endpoint;
}

/** The endpoint of this address, if the store has one. */
export async function findByUrl(ctx: InTransaction, url: string): Promise<WebhookEndpoint | undefined> {
  return (await ctx.tx.em.findOne(WebhookEndpoint, { tenantId: ctx.tenant.id, url })) ?? undefined;
}

/**
 * Refuse an address that may not be called: not https, with a password in it, or not public.
 * @param options `resolve: false` asks no name server, for inside a transaction
 * @throws DomainError `invalid_request`
 */
export async function rejectUnsafeUrl(ctx: Context, url: string, options: { resolve: boolean }): Promise<void> {
  const reason = await ctx.ports.http.refuse(url, options);
  if (reason !== undefined) throw urlIssue(reason);
}

export function urlIssue(detail: string): DomainError {
  return invalidRequest(detail, { path: '/url', code: 'url', detail });
}
