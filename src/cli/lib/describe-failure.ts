import { ConfigError } from '#src/config.ts';
import { explainConnection } from '#src/database/explain-connection.ts';
import { FailedMigration } from '#src/database/failed-migration.ts';
import { isDatabaseBusy } from '#src/database/is-database-busy.ts';
import { UnfitDatabase } from '#src/database/prove-database.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { DecryptionError } from '#src/lib/keyring.ts';
import { Failure, UsageError } from './command.ts';

export interface Explanation {
  readonly message: string;
  readonly problems: readonly object[];
  readonly exitCode: 1 | 2;
}

/** Describe an error for people. Only unexpected errors show a stack. */
export function describeFailure(error: unknown): Explanation {
  if (error instanceof UsageError) return { message: error.message, problems: [], exitCode: 2 };
  if (error instanceof Failure) return failed(error.message, error.problems);
  if (error instanceof ConfigError)
    return failed(
      error.message,
      error.problems.map((detail) => ({ detail })),
    );
  if (foreseen.some((kind) => error instanceof kind)) return failed(withCause(error));
  const failure = explainConnection(error);
  if (failure) return failed(`${failure.reason} ${failure.advice}`);
  return failed(isDatabaseBusy(error) ? busy : stackOf(error));
}

const failed = (message: string, problems: readonly object[] = []): Explanation => ({ message, problems, exitCode: 1 });

const foreseen = [DomainError, ProviderError, UnfitDatabase, FailedMigration, DecryptionError];

const busy = 'Other operations were changing the same data, so this one did not finish: try again.';

/** A shopper reads less than an operator, who can do something about the cause. */
const withCause = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error ? `${error.message} ${error.cause.message}` : messageOf(error);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const stackOf = (error: unknown) => (error instanceof Error && error.stack) || messageOf(error);
