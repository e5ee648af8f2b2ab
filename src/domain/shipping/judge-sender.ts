import { readOne } from '#src/database/transact.ts';
import { equalInConstantTime, hmacSha256 } from '#src/lib/crypto.ts';
import { seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** What shows that the parcel provider sent something. */
export interface SenderProof {
  /** The token of the address that the store gave to the provider. */
  readonly token: string;
  /** The header `Shippo-Auth-Signature`: `t=<seconds>,v1=<hex HMAC-SHA256 of t, a dot and the body>`. */
  readonly signature: string | undefined;
  readonly rawBody: Buffer;
}

/** How far the clock of the signer may be from ours. */
const toleranceMs = seconds(300);

/**
 * Whether the store's parcel provider sent this. Each store has a token, which stands in the address; where it has a
 * signing secret as well, what is not signed with it, or was signed a while ago, is not believed. A store that has
 * neither hears nothing.
 */
export async function isFromShippingProvider(
  ctx: Context,
  { token, signature, rawBody }: SenderProof,
): Promise<boolean> {
  const row = await readOne<{ token: string | null; secret: string | null }>(
    ctx,
    sql`
    select webhook_token_sealed as token, webhook_secret_sealed as secret
    from shipping_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  const expected = row?.token ? ctx.keyring.open(ctx.tenant.id, 'shipping_webhook_token', row.token) : undefined;
  const secret = row?.secret ? ctx.keyring.open(ctx.tenant.id, 'shipping_webhook_secret', row.secret) : undefined;
  // A store without a token is compared too, so that both refusals take as long.
  const isToken = equalInConstantTime(token, expected ?? newId('hint')) && expected !== undefined;
  const isSigned = secret !== undefined && isSignature(ctx, { secret, signature: signature ?? '', rawBody });
  return (isToken || expected === undefined) && (isSigned || secret === undefined) && (isToken || isSigned);
}

function isSignature(
  ctx: Context,
  { secret, signature, rawBody }: { secret: string; signature: string; rawBody: Buffer },
): boolean {
  const [, at = '', digest = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i.exec(signature.replaceAll(' ', '')) ?? [];
  const expected = hmacSha256(secret, Buffer.concat([Buffer.from(`${at}.`), rawBody]));
  const isFresh = Math.abs(ctx.clock.now().getTime() - Number(at) * 1000) <= toleranceMs;
  return equalInConstantTime(digest.toLowerCase(), expected.toString('hex')) && isFresh;
}
