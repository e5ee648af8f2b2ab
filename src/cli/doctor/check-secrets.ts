import type { PlatformContext } from '#src/domain/context.ts';
import { inspectSecrets } from '#src/domain/secrets/index.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const about = 'encryption keys';

/** What to do about a key that has sealed secrets and is not in `ENCRYPTION_KEYS`. */
export const adviceOfMissingKey = (keyId: string): string =>
  `Add the key again as ${keyId}:…, after the first one. ` +
  'If it is lost, save its secrets again: tenants rotate-secret, then apply.';

/** Whether the keyring decrypts all sealed secrets. */
export async function checkSecrets(ctx: PlatformContext): Promise<Finding[]> {
  const uses = await inspectSecrets(ctx);
  const closed = uses
    .filter(({ state }) => state === 'closed')
    .map(({ table, column, keyId, count }) => {
      const isReplaced = ctx.keyring.ids.includes(keyId);
      const problem = isReplaced ? 'is a different key with that id' : 'is not in ENCRYPTION_KEYS';
      const rename = isReplaced ? `Give the key that is listed as ${keyId} another id. ` : '';
      return fault(
        about,
        `${table}.${column}: ${count} sealed with the key ${keyId}, which ${problem}.`,
        `${rename}${adviceOfMissingKey(keyId)}`,
      );
    });
  const stale = uses.filter(({ state }) => state === 'stale').reduce((sum, { count }) => sum + count, 0);
  if (stale > 0) {
    const message = `${stale} secrets are encrypted with an older key than ${ctx.keyring.ids[0]}.`;
    closed.push(warning(about, message, 'npm run cli -- rotate-keys'));
  }
  return closed.length > 0 ? closed : [ok(about, 'All secrets are encrypted with the first one.')];
}
