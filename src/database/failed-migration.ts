import { causesOf } from '#src/lib/errors.ts';

/** A migration that PostgreSQL rejected. Nothing was changed. */
export class FailedMigration extends Error {
  override readonly name = 'FailedMigration';

  constructor(migration: string, rejection: Rejection) {
    const advice = isLockTimeout(rejection) ? ' End the transaction that uses the table, or try again.' : '';
    super(`${migration} failed, and nothing was changed: ${rejection.message}.${advice}`);
  }
}

/** What PostgreSQL said about a statement. */
interface Rejection extends Error {
  /** SQLSTATE. */
  readonly code?: unknown;
  readonly severity: unknown;
}

export const isLockTimeout = ({ code }: Rejection): boolean => code === '55P03';

/** What PostgreSQL said, within an error of MikroORM. */
export const rejectionIn = (error: unknown): Rejection | undefined => causesOf(error).find(isRejection);

const isRejection = (error: Error): error is Rejection => 'severity' in error;
