import type { Pool } from 'pg';

import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Log } from '#src/lib/log.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { within } from '#src/lib/within.ts';
import { type ConnectionFailure, explainConnection } from './explain-connection.ts';
import { readRole } from './prove-database.ts';
import { limitQuery, preparedQuery } from './run-statement.ts';

/** A read replica. It may be away, lag, or have been promoted: then reads go to the primary. */
export interface Replica {
  /** Read from the replica or from the primary: whichever `run` is called with. */
  read<Row>(run: (pool: Pool) => Promise<Row[]>): Promise<Row[]>;
  /** Why it must not be read from now, and what an operator can do about it. */
  inspect(): Promise<ConnectionFailure | undefined>;
}

/** How far it may be behind the primary, and how often that is checked. Both together are the oldest that is read. */
const lagMaxMs = seconds(5);
const checkEveryMs = seconds(5);
/** How long a read waits for a check before it goes to the primary. */
const checkWaitMs = seconds(1);

export function createReplica(given: { primary: Pool; replica: Pool; log: Log }): Replica {
  const { primary, replica, log } = given;
  let isUsable = true;
  let checkedAt = -Infinity;
  let checking: Promise<void> | undefined;

  function recordState(failure: string | undefined): void {
    checkedAt = performance.now();
    if (isUsable && failure) log.warn({ reason: failure }, 'the read replica is not used: the primary is read instead');
    if (!isUsable && !failure) log.info({}, 'the read replica is used again');
    isUsable = !failure;
  }

  async function choose(): Promise<Pool> {
    if (performance.now() - checkedAt >= checkEveryMs) {
      checking ??= inspect()
        .then((failure) => recordState(failure?.reason))
        .finally(() => (checking = undefined));
      // One that was not usable is tried again without a read that waits for it.
      const isChecked =
        isUsable &&
        (await within(
          checkWaitMs,
          checking.then(() => true),
        ));
      if (isUsable && !isChecked) recordState('It does not respond in time.');
    }
    return isUsable ? replica : primary;
  }

  async function inspect(): Promise<ConnectionFailure | undefined> {
    try {
      return await findFailure(primary, replica);
    } catch (error) {
      const unknown = { reason: error instanceof Error ? error.message : String(error), advice: '' };
      return explainConnection(error, 'DATABASE_READ_URL') ?? unknown;
    }
  }

  return {
    inspect,
    async read(run) {
      const pool = await choose();
      try {
        return await run(pool);
      } catch (error) {
        // Besides a connection that is lost, replaying what the primary did may end a statement of a replica.
        if (pool === primary || error instanceof Snooze) throw error;
        recordState(error instanceof Error ? error.message : String(error));
        return run(primary);
      }
    },
  };
}

const limited = (statement: Sql) => limitQuery(preparedQuery(statement), checkWaitMs);

/** The order matters: what the primary has written now, the replica may have replayed when it is asked after it. */
async function findFailure(primary: Pool, replica: Pool): Promise<ConnectionFailure | undefined> {
  const {
    rows: [written],
  } = await primary.query<{ position: string; at: Date }>(
    limited(sql`select pg_current_wal_lsn() as position, clock_timestamp() as at`),
  );
  const {
    rows: [state],
  } = await replica.query<ReplicaState>(
    limited(sql`select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() as position,
      pg_last_wal_replay_lsn() >= ${written?.position}::pg_lsn as "isCurrent",
      extract(epoch from ${written?.at}::timestamptz - pg_last_xact_replay_timestamp())::float8 * 1000 as "lagMs"`),
  );
  if (!state?.isReplica) {
    return {
      reason: 'DATABASE_READ_URL names no replica, or one that was promoted.',
      advice: 'Set it to a streaming replica of DATABASE_URL, or unset it.',
    };
  }
  const { name: role, isUnbound } = await readRole(async (statement) => (await replica.query(limited(statement))).rows);
  if (isUnbound) {
    return {
      reason: `The role "${role}" of DATABASE_READ_URL bypasses row-level security, so stores would not be isolated.`,
      advice: 'Name the role of DATABASE_URL in it.',
    };
  }
  if (state.isCurrent && (await isAhead(primary, state))) {
    return {
      reason: 'The read replica has what DATABASE_URL never wrote: it followed it before a backup was restored.',
      advice: 'Set DATABASE_READ_URL to a streaming replica of the restored DATABASE_URL, or unset it.',
    };
  }
  if (state.isCurrent || (state.lagMs !== null && state.lagMs <= lagMaxMs)) return undefined;
  return {
    reason: `The read replica is more than ${lagMaxMs / 1000} seconds behind.`,
    advice: 'Check the replication of DATABASE_READ_URL. The replica is used again when it has caught up.',
  };
}

interface ReplicaState {
  readonly isReplica: boolean;
  /** How far it has replayed. */
  readonly position: string | null;
  readonly isCurrent: boolean | null;
  readonly lagMs: number | null;
}

/** Whether it has replayed more than the primary has written by now. */
async function isAhead(primary: Pool, { position }: ReplicaState): Promise<boolean> {
  const { rows } = await primary.query<{ isAhead: boolean }>(
    limited(sql`select pg_current_wal_lsn() < ${position}::pg_lsn as "isAhead"`),
  );
  return rows[0]?.isAhead === true;
}
