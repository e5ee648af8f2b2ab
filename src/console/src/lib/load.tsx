import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Loading } from 'react-admin';

import { Unreachable } from './failure.tsx';

/** A page of a module. */
export interface LoadedPage {
  (): ReactNode;
  /** Begins to read the module, unless that was done. */
  readonly open: () => Promise<ComponentType>;
}

/**
 * A page that is read from its module when it is first opened, or why it cannot be. React's `lazy` would do, but React
 * shows what a `Suspense` waited for no sooner than 300 ms after it began to wait.
 *
 * @param name under which the module exports it
 */
export function load<Name extends string>(
  name: Name,
  read: () => Promise<Readonly<Record<Name, ComponentType>>>,
): LoadedPage {
  let loaded: ComponentType | undefined;
  const open = async () => {
    loaded ??= (await read())[name];
    return loaded;
  };
  function Opened() {
    const [Page, setPage] = useState(() => loaded);
    useEffect(() => {
      if (Page) return;
      open().then(
        (page) => setPage(() => page),
        () => setPage(() => Unreachable),
      );
    }, [Page]);
    return Page ? <Page /> : <Loading />;
  }
  return Object.assign(Opened, { open });
}
