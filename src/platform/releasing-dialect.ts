import {
  type DatabaseConnection, type Driver, PostgresDialect, type PostgresDialectConfig, PostgresDriver,
  type TransactionSettings,
} from 'kysely';

/**
 * Kysely keeps a connection for good whose BEGIN or ROLLBACK fails, as all of them do when PostgreSQL restarts under a
 * transaction: after as many failures as the pool has connections, a process would wait for one for ever. Here such a
 * connection goes back to the pool, which throws a dead one away.
 */
export class ReleasingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new ReleasingDriver(this.#config);
  }
}

class ReleasingDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await this.#releaseOnFailure(connection, super.beginTransaction(connection, settings));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#releaseOnFailure(connection, super.rollbackTransaction(connection));
  }

  async #releaseOnFailure(connection: DatabaseConnection, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      await this.releaseConnection(connection as Parameters<PostgresDriver['releaseConnection']>[0]);
      throw error;
    }
  }
}
