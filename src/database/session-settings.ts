import type { ClientBase } from 'pg';

/** Settings of PostgreSQL by name; times are in milliseconds unless the setting counts in another unit. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/**
 * What decides how our statements are read, what they return, and how long a lock and an idle connection are waited for.
 * The role, the database or the server may have other defaults, each of which is some other application's good reason.
 */
const common: SessionSettings = {
  datestyle: 'ISO, MDY',
  // A day that is compared with a moment begins at midnight of this zone.
  timezone: 'UTC',
  extra_float_digits: 1,
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  gin_fuzzy_search_limit: 0,
  'pg_trgm.word_similarity_threshold': 0.6,
  default_transaction_isolation: 'read committed',
  row_security: 'on',
  // A shell in which a dump was made may have it on, and so may a role that makes dumps.
  'app.platform': '',
  lock_timeout: 0,
  idle_session_timeout: 0,
};

/** PostgreSQL has this setting from version 17 on. */
const noTransactionTimeout = `case when current_setting('transaction_timeout', true) is not null
  then set_config('transaction_timeout', '0', false) end`;

/** A provider is called for what was committed, so that must outlive a crash. Who waits for standbys keeps doing so. */
const durableCommit = `case when current_setting('synchronous_commit') = 'off'
  then set_config('synchronous_commit', 'on', false) end`;

/**
 * For `onConnect` of a pool: sets these and the common ones for each of its sessions. A pooler such as PgBouncer rejects
 * them as parameters of the connection itself.
 */
export const configureSession =
  (settings: SessionSettings) =>
  async (client: ClientBase): Promise<void> => {
    const all = { ...common, ...settings };
    const calls = Object.keys(all).map((name, index) => `set_config('${name}', $${index + 1}, false)`);
    await client.query(
      `select ${[...calls, noTransactionTimeout, durableCommit].join(', ')}`,
      Object.values(all).map(String),
    );
  };
