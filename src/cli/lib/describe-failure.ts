import { ConfigError } from '#src/config.ts';
import { isDatabaseAway } from '#src/domain/database.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { UnfitDatabase } from '#src/platform/prove-database.ts';
import { Failure, UsageError } from './command.ts';

export interface Explanation {
  readonly message: string;
  readonly problems: readonly object[];
  readonly exitCode: 1 | 2;
}

/** Say what went wrong in a person's words. Only what nobody foresaw shows a stack. */
export function describeFailure(error: unknown): Explanation {
  if (error instanceof UsageError) return { message: error.message, problems: [], exitCode: 2 };
  if (error instanceof Failure) return failed(error.message, error.problems);
  if (error instanceof ConfigError) return failed(error.message, error.problems.map((detail) => ({ detail })));
  if (error instanceof DomainError || error instanceof ProviderError || error instanceof UnfitDatabase) return failed(error.message);
  if (isDatabaseAway(error)) return failed('PostgreSQL is away: DATABASE_URL names a server that does not answer.');
  if (isSchemaBehind(error)) return failed('The schema of the database is behind this release: run the migrate command first.');
  return failed(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

const failed = (message: string, problems: readonly object[] = []): Explanation => ({ message, problems, exitCode: 1 });

/** A table or a column that is not there. */
function isSchemaBehind(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === '42P01' || code === '42703';
}
