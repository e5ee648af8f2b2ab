import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';

/** The connections of one process. */
export interface Database {
  readonly orm: MikroORM;
  readonly pool: Pool;
  /** A replica for search and the owner's lists, where one is configured; otherwise the same pool. */
  readonly replica: Pool;
  /** Whether PostgreSQL responds. Uses a reserved connection, so that a full pool does not matter. */
  answers(): Promise<boolean>;
  /** Wake the relay after jobs were enqueued, so that it does not wait for its next poll. */
  wakeRelay(): void;
}
