/**
 * A proxy for an object that is loaded on first use: a process that never uses it pays nothing for it. Every method is
 * asynchronous, so callers notice no difference.
 */
export function onFirstUse<Port extends object>(load: () => Promise<Port>): Port {
  let loaded: Promise<Port> | undefined;
  return new Proxy({} as Port, {
    get(_target, method) {
      // Awaiting the proxy itself must find no `then`, and an object that was never loaded needs no closing.
      if (method === 'then' || (method === 'close' && !loaded)) return undefined;
      return async (...given: unknown[]) => {
        const port = await (loaded ??= load());
        return Reflect.apply(Reflect.get(port, method) as (...given: unknown[]) => unknown, port, given);
      };
    },
  });
}
