import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Stop a server without losing a request. The router does not know yet, so for a while the server continues, while
 * `/readyz` reports the shutdown and every response closes its connection. Then it accepts no more requests, and those
 * in progress may end.
 *
 * @param noticeMs how long a router may take to notice
 * @param exitDelayMs how long after that a request may still take
 */
export async function stopServing(
  server: Server,
  { noticeMs, exitDelayMs }: { noticeMs: number; exitDelayMs: number },
): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  await pause(noticeMs);
  const closed = once(server, 'close');
  server.close();
  const deadline = setTimeout(() => server.closeAllConnections(), exitDelayMs);
  await closed;
  clearTimeout(deadline);
}
