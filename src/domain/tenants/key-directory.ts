import { LRUCache } from 'lru-cache';
import { runOnPlatformTables } from '#src/database/transact.ts';
import { agingBy } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { hashKey, type KeyKind, parseKey, type Scope } from './api-key.ts';

/** What a valid key opens. */
export interface OpenedKey {
  readonly id: string;
  readonly tenantId: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  /** Its own limit; null where the default holds. */
  readonly requestsPerMinute: number | null;
}

export interface KeyDirectory {
  /**
   * The key behind these characters.
   * @throws DomainError `invalid_key`, `wrong_environment`, `revoked_key` or `expired_key`, all unauthenticated.
   */
  open(characters: string): Promise<OpenedKey>;
}

interface StoredKey extends OpenedKey {
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A revoked key stops working everywhere within this time, and a second later where what it asked before is kept. */
const freshForMs = seconds(3);

export function createKeyDirectory(ctx: PlatformContext): KeyDirectory {
  const keys = new LRUCache<string, { key: StoredKey | undefined }>({
    max: 10_000,
    ttl: freshForMs,
    ...agingBy(ctx.clock),
    fetchMethod: async (hash) => ({ key: await find(ctx, Buffer.from(hash, 'base64')) }),
  });

  return {
    async open(characters) {
      const claimed = parseKey(characters);
      if (!claimed) throw refuse('invalid_key', 'This is not a key: a character is missing or wrong.');
      if (claimed.mode !== ctx.settings.appMode) {
        throw refuse(
          'wrong_environment',
          `This is a ${claimed.mode} key, and here is the ${ctx.settings.appMode} environment.`,
        );
      }
      const found = await keys.fetch(hashKey(ctx.settings.keyPepper, characters).toString('base64'));
      if (!found?.key) throw refuse('invalid_key', 'Unknown key.');
      const { expiresAt, revokedAt, ...key } = found.key;
      if (revokedAt) throw refuse('revoked_key', 'This key was revoked.');
      if (expiresAt && expiresAt <= ctx.clock.now()) throw refuse('expired_key', 'This key has expired.');
      return key;
    },
  };
}

async function find(ctx: PlatformContext, hash: Buffer): Promise<StoredKey | undefined> {
  const [key] = await runOnPlatformTables<StoredKey>(
    ctx,
    sql`
    select id, tenant_id as "tenantId", kind, scopes, requests_per_minute as "requestsPerMinute",
      expires_at as "expiresAt", revoked_at as "revokedAt"
    from api_keys where hash = ${hash}`,
  );
  return key;
}

const refuse = (code: string, detail: string) => new DomainError('unauthenticated', code, detail);
