import { randomBytes } from 'node:crypto';
import { fromNow } from '#src/lib/clock.ts';
import { hours } from '#src/lib/duration.ts';
import { rateLimited } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { sealedColumn } from '../sealed-column.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** `whsec_` and base64 of 16 to 64 bytes, as Standard Webhooks writes secrets. */
export const secretPattern = '^whsec_[A-Za-z0-9+/]{22,86}={0,2}$';

/** For how long a replaced secret signs, too: until receivers have changed over. */
const overlapMs = hours(24);

/** How many replaced secrets sign at most. Each of them is a signature in every request. */
const retiringMax = 5;

/** A secret that was replaced, and until when it signs. */
interface RetiringSecret {
  readonly secret: string;
  readonly until: string;
}

/** Sealed values are bound to their store and to one of these names. */
const fields = { current: 'webhook_secret', retiring: 'webhook_retiring_secrets' } as const;

export const webhookSealedColumns = [
  sealedColumn('webhook_endpoints', 'secret_sealed', fields.current),
  sealedColumn('webhook_endpoints', 'retiring_secrets_sealed', fields.retiring),
];

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function sealSecret(ctx: Context, secret: string): string {
  return ctx.keyring.seal(ctx.tenant.id, fields.current, secret);
}

export function openSecret(ctx: Context, { secretSealed }: WebhookEndpoint): string {
  return ctx.keyring.open(ctx.tenant.id, fields.current, secretSealed);
}

/** Whether its secret can be opened: not if it was sealed by a key that was lost. */
export function hasSecret(ctx: Context, { secretSealed }: WebhookEndpoint): boolean {
  return ctx.keyring.knows(secretSealed);
}

/** The secrets that an endpoint signs with now, the current one first. */
export function openSecrets(ctx: Context, endpoint: WebhookEndpoint): string[] {
  return [openSecret(ctx, endpoint), ...openRetiring(ctx, endpoint).map(({ secret }) => secret)];
}

/**
 * Sign with a new secret from now on, and with the replaced one for another day. Those that were replaced before sign
 * until their own day is over. The endpoint is locked.
 *
 * @throws DomainError `rate_limited` while as many are retiring as may sign
 */
export function replaceSecret(ctx: Context, endpoint: WebhookEndpoint, secret: string): void {
  const before = openRetiring(ctx, endpoint).filter((other) => other.secret !== secret);
  const earliest = before.at(-1);
  if (earliest && before.length >= retiringMax) {
    const waitMs = Date.parse(earliest.until) - ctx.clock.now().getTime();
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw rateLimited(`${retiringMax} replaced secrets of this endpoint still sign.`, {
      retryAfterSeconds,
      limit: retiringMax,
    });
  }
  const until = fromNow(ctx.clock, overlapMs).toISOString();
  const retiring: RetiringSecret[] = hasSecret(ctx, endpoint)
    ? [{ secret: openSecret(ctx, endpoint), until }, ...before]
    : before;
  endpoint.retiringSecretsSealed = ctx.keyring.seal(ctx.tenant.id, fields.retiring, JSON.stringify(retiring));
  endpoint.secretSealed = sealSecret(ctx, secret);
  endpoint.touch(ctx.clock.now());
}

/** The replaced secrets that still sign, the latest first. */
function openRetiring(ctx: Context, { retiringSecretsSealed: sealed }: WebhookEndpoint): RetiringSecret[] {
  if (!sealed || !ctx.keyring.knows(sealed)) return [];
  const retiring: RetiringSecret[] = JSON.parse(ctx.keyring.open(ctx.tenant.id, fields.retiring, sealed));
  return retiring.filter(({ until }) => Date.parse(until) > ctx.clock.now().getTime());
}
