import type { EntityManager } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';

import { awaitAll } from '#src/lib/await-all.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type Closed, type CompletedJob, closingStatements, type JobOutcome } from '#src/outbox/closing-statement.ts';
import type { OutboxJob } from '#src/outbox/enqueue.ts';
import type { RecordedEvent } from '#src/outbox/events.ts';
import type { Database } from './connections.ts';
import { isDatabaseAway } from './is-database-away.ts';
import { limitQuery, preparedQuery } from './run-statement.ts';

/** One open transaction. */
export interface Transaction {
  /**
   * The unit of work on this transaction's connection: for changes and state machines. It flushes before the commit.
   */
  readonly em: EntityManager;
  /** Run one statement in this transaction. */
  execute<Row>(statement: Sql): Promise<Row[]>;
  /** Let each further statement take this long. */
  limitStatements(timeoutMs: number): Promise<void>;
  /**
   * Inserts and updates that nothing in this transaction reads, in any order, the enqueued jobs, and the recorded events:
   * written by the last statements before the commit.
   */
  readonly changes: Sql[];
  readonly jobs: OutboxJob[];
  readonly events: RecordedEvent[];
  /** The job that this commit completes. */
  complete(job: CompletedJob, at: Date): void;
  /** This commit fails the job that is being executed, for this reason. */
  fail(job: CompletedJob, at: Date, reason: string): void;
}

/** Restricts the statements of a transaction to one tenant, or marks it as one of the platform itself. */
export type Scope = { readonly tenantId: string } | 'platform';

/**
 * Open a transaction, do the work, and commit. What the work throws rolls it back and is thrown on; a connection that
 * was lost is thrown away.
 * @param isolation of a snapshot: every statement sees the data as they were at the first one
 */
export async function openTransaction<Result>(
  database: Database,
  scope: Scope,
  work: (tx: Transaction) => Promise<Result>,
  isolation: 'read committed' | 'repeatable read' = 'read committed',
): Promise<Result> {
  const client = await database.pool.connect();
  try {
    const begun = client.query(`${beginnings[isolation]}; ${settingOf(client, scope)}`);
    const tx = new ClientTransaction(client, database);
    const [, result] = await awaitAll(begun, work(tx));
    const { hasNewJobs } = await tx.commit();
    client.release();
    if (hasNewJobs) database.wakeRelay();
    return result;
  } catch (error) {
    if (isDatabaseAway(error)) client.release(true);
    else
      await client.query('rollback').then(
        () => client.release(),
        (lost: Error) => client.release(lost),
      );
    throw error;
  }
}

const beginnings = {
  'read committed': 'begin',
  'repeatable read': 'begin isolation level repeatable read',
};

/** Sent along with BEGIN in one message, which takes no parameters. */
function settingOf(client: PoolClient, scope: Scope): string {
  return scope === 'platform'
    ? `set local app.platform = 'on'`
    : `set local app.tenant_id = ${client.escapeLiteral(scope.tenantId)}`;
}

class ClientTransaction implements Transaction {
  readonly changes: Sql[] = [];
  readonly jobs: OutboxJob[] = [];
  readonly events: RecordedEvent[] = [];
  #outcome: JobOutcome | undefined;
  readonly #client: PoolClient;
  readonly #database: Database;
  #em: EntityManager | undefined;
  #timeoutMs: number | undefined;

  constructor(client: PoolClient, database: Database) {
    this.#client = client;
    this.#database = database;
  }

  /** Created on first use: most transactions are a few statements and need no unit of work. */
  get em(): EntityManager {
    if (!this.#em) {
      this.#em = this.#database.orm.em.fork();
      this.#em.setTransactionContext(this);
    }
    return this.#em;
  }

  complete(job: CompletedJob, at: Date): void {
    this.#outcome = { job, at };
  }

  fail(job: CompletedJob, at: Date, failure: string): void {
    this.#outcome = { job, at, failure };
  }

  /** Bound, because the outbox takes it for itself. */
  readonly execute = async <Row>(statement: Sql): Promise<Row[]> => {
    const { rows } = await this.#client.query(this.#limited(preparedQuery(statement)));
    return rows as Row[];
  };

  async limitStatements(timeoutMs: number): Promise<void> {
    await this.execute(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`);
    this.#timeoutMs = timeoutMs;
  }

  #limited<Query extends object>(query: Query): Query {
    return this.#timeoutMs === undefined ? query : limitQuery(query, this.#timeoutMs);
  }

  /** Runs the statements of the unit of work. Those with values in their text have no plan worth reusing. */
  async executeQuery({ sql: text, parameters: values }: { sql: string; parameters: readonly unknown[] }) {
    const query = values.length > 0 ? preparedQuery({ text, values }) : { text };
    const { rows, rowCount } = await this.#client.query(this.#limited(query));
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async commit(): Promise<Closed> {
    await this.#em?.flush();
    const { changes, events, jobs } = this;
    const closing = closingStatements({ changes, events, jobs, outcome: this.#outcome });
    const [closed, { command }] = await awaitAll(
      awaitAll(...closing.map((statement) => this.execute<Closed>(statement))),
      this.#client.query('commit'),
    );
    // After a failed statement PostgreSQL rolls back on COMMIT and only reports ROLLBACK.
    if (command !== 'COMMIT') throw new Error('A statement failed in this transaction, and its error was passed over.');
    if (this.#outcome && this.#outcome.failure === undefined) this.#outcome.job.isCompleted = true;
    return closed.at(-1)?.[0] ?? { hasNewJobs: false };
  }
}
