import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Loading } from 'react-admin';

import { Unreachable } from './failure.tsx';

/**
 * A page that is read from its module when it is first opened, or why it cannot be. React's `lazy` would do, but React
 * shows what a `Suspense` waited for no sooner than 300 ms after it began to wait.
 *
 * @param name under which the module exports it
 */
export function load<Name extends string>(
  name: Name,
  open: () => Promise<Readonly<Record<Name, ComponentType>>>,
): () => ReactNode {
  let loaded: ComponentType | undefined;
  return function LoadedPage() {
    const [Page, setPage] = useState(() => loaded);
    useEffect(() => {
      if (Page) return;
      open().then(
        ({ [name]: page }) => {
          loaded = page;
          setPage(() => page);
        },
        () => setPage(() => Unreachable),
      );
    }, [Page]);
    return Page ? <Page /> : <Loading />;
  };
}
