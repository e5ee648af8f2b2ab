import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';

/** The connections of one process. */
export interface Database {
  readonly orm: MikroORM;
  readonly pool: Pool;
  /** A replica for search and the owner's lists, where one is configured; otherwise the same pool. */
  readonly replica: Pool;
  /** Whether PostgreSQL answers: asked on a connection that nobody else uses, so that a full pool says nothing. */
  answers(): Promise<boolean>;
  /** Tell the relay that something was promised, so that it need not wait for its next look. */
  wakeRelay(): void;
}
