import { issuesOfKey, KeyInput, listKeys, revokeKey, saveKey } from '#src/domain/tenants/index.ts';
import { readAll } from '../lib/read-all.ts';
import { many } from './section.ts';

/** Keys by their names. An existing one keeps its value; the value of a new one is shown once. */
export const keysSection = many({
  name: 'keys',
  kind: 'key',
  schema: KeyInput,
  keyOf: ({ name }) => name,
  keyField: 'name',
  check: (key) => issuesOfKey(key),
  async save({ ctx, reveal }, { name, kind, scopes, expires_at: written, requests_per_minute: requestsPerMinute }) {
    const expiresAt = written ? new Date(written) : null;
    const { change, issued } = await saveKey(ctx, { name, kind, scopes, expiresAt, requestsPerMinute });
    if (issued) reveal({ name, value: issued.value });
    return change;
  },
  async prune({ ctx, record }, named) {
    const rows = await readAll((page) => listKeys(ctx, page));
    for (const key of rows.filter(({ name, revokedAt }) => !revokedAt && !named.has(name))) {
      await revokeKey(ctx, key);
      await record('key', { subject: `key ${key.name}`, action: 'removed', fields: [] });
    }
  },
});
