import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';

import type { Replica } from './replica.ts';

/** The connections of one process. */
export interface Database {
  readonly orm: MikroORM;
  readonly pool: Pool;
  /** A replica for search and the owner's lists, where one is configured. */
  readonly replica: Replica | undefined;
  /** Whether PostgreSQL responds and accepts changes. Uses a reserved connection, so that a full pool does not matter. */
  answers(): Promise<boolean>;
  /** Wake the relay after jobs were enqueued, so that it does not wait for its next poll. */
  wakeRelay(): void;
}
