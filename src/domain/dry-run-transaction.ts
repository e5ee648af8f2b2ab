/**
 * Execute `work`, which opens one transaction and calls `finish` with its result as its last step. In a dry run that
 * call fails the transaction: everything is executed and its result returned, but nothing is stored.
 */
export async function dryRunTransaction<Result>(
  isDryRun: boolean,
  work: (finish: (result: Result) => Result) => Promise<Result>,
): Promise<Result> {
  const finish = (result: Result) => {
    if (isDryRun) throw new RolledBack(result);
    return result;
  };
  try {
    return await work(finish);
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    throw error;
  }
}

class RolledBack<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super('This was a dry run.');
    this.result = result;
  }
}
