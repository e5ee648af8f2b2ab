import { inspectSecrets, type KeyUse, rewrapSecrets } from '#src/domain/secrets/index.ts';
import { adviceOfMissingKey } from './doctor/check-secrets.ts';
import { table } from './lib/columns.ts';
import { defineCommand, type Report } from './lib/command.ts';
import { withServices } from './lib/with-services.ts';

/** Every process must know a key before it is used for encryption: src/cli/DEPLOYMENT.md describes the order. */
export const rotateKeysCommand = defineCommand({
  name: 'rotate-keys',
  summary: 'Re-encrypt every secret with the first key of ENCRYPTION_KEYS, without downtime.',
  options: { status: { type: 'boolean', description: 'Only show how many secrets each key encrypts.' } },
  async run({ options, terminal }): Promise<Report> {
    return withServices(terminal, async ({ config }, ctx) => {
      const rewrapped = options.status
        ? []
        : await rewrapSecrets(ctx, ({ table, column }, count) =>
            terminal.progress(`${table}.${column}: ${count} re-encrypted`),
          );
      const uses = await inspectSecrets(ctx);
      const damaged = rewrapped.flatMap(({ table, column, damaged }) =>
        damaged.map((row) => ({ table, column, ...row })),
      );
      const [, ...others] = config.encryptionKeys.map(([id]) => id);
      const idle = others.filter((id) => !uses.some(({ keyId }) => keyId === id));
      const closed = uses.some(({ state }) => state === 'closed');
      const isListed = ({ keyId }: { keyId: string }) => ctx.keyring.ids.includes(keyId);
      const missing = new Set(uses.filter((use) => !isListed(use)).map(({ keyId }) => keyId));
      return {
        failed: damaged.length > 0 || closed,
        data: {
          sealing_key: ctx.keyring.ids[0],
          rewrapped: rewrapped.map(({ table, column, rewrapped: count }) => ({ table, column, count })),
          damaged: damaged.map(({ table, column, tenantId, id, keyId }) => ({
            table,
            column,
            tenant_id: tenantId,
            id,
            key_id: keyId,
          })),
          uses: uses.map(({ table, column, keyId, count, state }) => ({ table, column, key_id: keyId, count, state })),
          removable_keys: idle,
        },
        lines: [
          ...table(['COLUMN', 'KEY', 'SEALED', 'STATE'], uses.map(row), 'There are no encrypted secrets yet.'),
          ...[...missing].map((keyId) => `ENCRYPTION_KEYS has no key ${keyId}. ${adviceOfMissingKey(keyId)}`),
          ...damaged
            .filter(isListed)
            .map(
              ({ table, column, tenantId, id, keyId }) =>
                `${table}.${column} of ${id} (${tenantId}) cannot be decrypted with the key ${keyId}: ` +
                'save that secret again.',
            ),
          ...idle.map(
            (id) =>
              `No secret is encrypted with ${id}: if another key has replaced it, remove it from ENCRYPTION_KEYS ` +
              'when no process uses it as its first key.',
          ),
        ],
      };
    });
  },
});

const row = ({ table, column, keyId, count, state }: KeyUse) => [`${table}.${column}`, keyId, String(count), state];
