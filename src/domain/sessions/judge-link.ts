import { sha256 } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';
import type { DeliveryCheck } from '../mail/index.ts';
import { deriveTokenWith, readSessionSecret, tokenPurposes } from '../tenants/index.ts';

/**
 * Whether a link is still worth mailing, and that the token which the mail carries opens it: since it was asked for the
 * store's secret may have been rotated, and its token is another. A link that was mailed before stays worthless.
 */
export const checkLink: DeliveryCheck = async (ctx, { subjectId: linkId }) => {
  const secret = await readSessionSecret(ctx);
  const hash = sha256(deriveTokenWith(ctx, secret, tokenPurposes.signIn, linkId));
  const links = await ctx.tx.execute(sql`
    update sign_in_links set token_hash = ${hash}, secret_number = ${secret.number}
    where tenant_id = ${ctx.tenant.id} and id = ${linkId} and used_at is null and expires_at > ${ctx.clock.now()}
    returning id`);
  return links.length > 0 ? undefined : 'The link was used, or is over.';
};
