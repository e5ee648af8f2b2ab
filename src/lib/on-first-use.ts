/**
 * Stand for something that is loaded when somebody first uses it: a process that never does pays nothing for it.
 * Every method is asynchronous, so nobody can tell the difference.
 */
export function onFirstUse<Port extends object>(load: () => Promise<Port>): Port {
  let loaded: Promise<Port> | undefined;
  return new Proxy({} as Port, {
    get(_target, method) {
      // Whoever awaits the stand-in itself must find no method to wait by, and what was never loaded needs no closing.
      if (method === 'then' || (method === 'close' && !loaded)) return undefined;
      return async (...given: unknown[]) => {
        const port = await (loaded ??= load());
        return Reflect.apply(Reflect.get(port, method) as (...given: unknown[]) => unknown, port, given);
      };
    },
  });
}
