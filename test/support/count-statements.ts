import type { Services } from '#src/services.ts';
import { interceptStatements } from './intercept-statements.ts';

/** What PostgreSQL was sent while something happened. */
export interface CountedStatements<Result> {
  result: Result;
  statements: string[];
}

/** The frame of a transaction and the setting of its tenant are the same everywhere, and not counted. */
const frame = /^\s*(begin|start transaction|commit|rollback|savepoint|release savepoint|set |select set_config\()/i;

export const isFrame = (text: string): boolean => frame.test(text);

/**
 * Do something and return the statements that PostgreSQL received through the services' pool, in the order in which
 * they were sent. Only for what runs alone: two at once through one pool count each other's (`test.serial`).
 */
export async function countStatements<Result>(
  services: Services,
  work: () => Promise<Result>,
): Promise<CountedStatements<Result>> {
  const statements: string[] = [];
  const end = interceptStatements(services.context().database.pool, () => ({ text, send }) => {
    if (!isFrame(text)) statements.push(text);
    return send();
  });
  try {
    return { result: await work(), statements };
  } finally {
    end();
  }
}
