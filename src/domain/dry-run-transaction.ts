/**
 * Run `work`, which opens one transaction and calls `finish` with its result as its last step. Where it is to be taken
 * back, that call fails the transaction: a dry run finds out what would happen by doing it, and nothing of it stays.
 */
export async function dryRunTransaction<Result>(
  takeBack: boolean,
  work: (finish: (result: Result) => Result) => Promise<Result>,
): Promise<Result> {
  const finish = (result: Result) => {
    if (takeBack) throw new TakenBack(result);
    return result;
  };
  try {
    return await work(finish);
  } catch (error) {
    if (error instanceof TakenBack) return error.result;
    throw error;
  }
}

class TakenBack<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super('This was a dry run.');
    this.result = result;
  }
}
