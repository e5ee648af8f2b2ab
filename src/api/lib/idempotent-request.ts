import type { RouterContext } from '@koa/router';

import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { isDatabaseBusy } from '#src/database/is-database-busy.ts';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import {
  type ClaimedRequest,
  claimRequest,
  type IdempotentRequest,
  releaseRequest,
  renewWhile,
  type StoredReply,
  storeReply,
} from '#src/domain/idempotency/index.ts';
import { currentCorrelation } from '#src/lib/correlation.ts';
import { DomainError } from '#src/lib/errors.ts';
import { HttpError } from './http-error.ts';
import { type RenderedReply, renderError } from './render-reply.ts';

type Work = (ctx: Context, idempotencyId: string) => Promise<RenderedReply>;

/**
 * The Idempotency-Key that a request was sent with, or undefined. An empty one is a mistake of the caller, who would
 * retry without its protection.
 *
 * @throws HttpError 400 for an empty or too long one
 */
export function readIdempotencyKey(koa: RouterContext): string | undefined {
  const { 'idempotency-key': key } = koa.headers;
  if (typeof key !== 'string') return undefined;
  if (key.trim() !== '' && key.length <= 255) return key;
  throw new HttpError(400, 'invalid_request', 'An Idempotency-Key must have 1 to 255 characters. Omit it for none.');
}

/**
 * Execute an idempotent request once: later attempts get the stored reply of the first. An attempt that ends without a
 * reply worth storing leaves the request to the next one.
 *
 * @param mode `atomic`: the work and its reply are committed together
 */
export async function runIdempotent(
  ctx: Context,
  mode: 'atomic' | 'resumable',
  request: IdempotentRequest,
  work: Work,
): Promise<RenderedReply> {
  const claimed = await claimRequest(ctx, request);
  if ('status' in claimed) return replay(claimed);
  try {
    const run = mode === 'atomic' ? runAndStore : runThenStore;
    return await renewWhile(ctx, claimed, () => run(ctx, claimed, work));
  } catch (error) {
    const rejection = renderError(error, currentCorrelation()?.requestId ?? '');
    await unlessAway(ctx, recordRejection(ctx, claimed, rejection, { isNamed: request.key !== undefined }));
    throw error;
  }
}

async function runAndStore(ctx: Context, claimed: ClaimedRequest, work: Work): Promise<RenderedReply> {
  return transact(ctx, async (ctx) => {
    const reply = await work(ctx, claimed.id);
    if (await storeReply(ctx, claimed, storedFrom(reply))) return reply;
    throw new DomainError('conflict', 'idempotency_in_progress', 'Another attempt of this request is in progress.', {
      retryAfterSeconds: 1,
    });
  });
}

async function runThenStore(ctx: Context, claimed: ClaimedRequest, work: Work): Promise<RenderedReply> {
  const reply = await work(ctx, claimed.id);
  await unlessAway(ctx, storeReply(ctx, claimed, storedFrom(reply)));
  return reply;
}

/** The caller gets the reply even if it cannot be stored: the next attempt finds an expired lease and continues. */
async function unlessAway(ctx: Context, stored: Promise<unknown>): Promise<void> {
  try {
    await stored;
  } catch (error) {
    if (!isDatabaseAway(error) && !isDatabaseBusy(error)) throw error;
    ctx.log.warn({ err: error }, 'a reply could not be stored');
  }
}

/**
 * Errors that may be different next time are not stored: who is calling, what they may do, how busy we or others are.
 * Of a request without a key no error is stored: its cause may be gone a second later.
 */
const passing = [401, 403, 429];

async function recordRejection(
  ctx: Context,
  claimed: ClaimedRequest,
  rejection: RenderedReply,
  { isNamed }: { isNamed: boolean },
): Promise<void> {
  const isPassing = rejection.status >= 500 || passing.includes(rejection.status);
  if (isPassing || !isNamed) await releaseRequest(ctx, claimed);
  else await storeReply(ctx, claimed, storedFrom(rejection));
}

function storedFrom({ status, headers, body }: RenderedReply): StoredReply {
  return { status, headers, body: body?.toString() ?? '' };
}

function replay({ status, headers, body }: StoredReply): RenderedReply {
  return {
    status,
    headers: { ...headers, 'idempotent-replayed': 'true' },
    body: body === '' ? undefined : body,
    etag: undefined,
  };
}
