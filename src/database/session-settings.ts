import type { ClientBase } from 'pg';

/** Settings of PostgreSQL by name; times are in milliseconds unless the setting counts in another unit. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/**
 * For `onConnect` of a pool: sets these for each of its sessions. A pooler such as PgBouncer rejects them as parameters
 * of the connection itself.
 */
export const configureSession =
  (settings: SessionSettings) =>
  async (client: ClientBase): Promise<void> => {
    const calls = Object.keys(settings).map((name, index) => `set_config('${name}', $${index + 1}, false)`);
    await client.query(`select ${calls.join(', ')}`, Object.values(settings).map(String));
  };
