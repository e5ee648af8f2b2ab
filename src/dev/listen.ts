import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { seconds } from '#src/lib/duration.ts';

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Let a server listen on this machine, at a free port unless one is given. It closes no connection that a
 * client, whose thread is busy, may be about to use again.
 */
export async function listen(server: Server, port = 0): Promise<Listening> {
  server.keepAliveTimeout = seconds(75);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
