/**
 * A result that has come in while the thread was busy is in time: it is read before the wait ends.
 *
 * @returns what the promise resolves to within this time, or `undefined`. A later error is ignored.
 */
export async function within<Value>(ms: number, result: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, undefined), ms);
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
