import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { seconds } from '#src/lib/duration.ts';

/**
 * Let a simulator listen. It closes no connection that a client, whose thread is busy, may be about to use again.
 * @param port 0: a free one
 * @returns the port
 */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  server.keepAliveTimeout = seconds(75);
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
