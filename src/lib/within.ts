/** What a promise answers within this time, or `undefined`. An error that comes too late concerns nobody. */
export async function within<Value>(ms: number, result: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
    result.catch(() => undefined);
  }
}
