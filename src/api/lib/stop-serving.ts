import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Stop a server without losing a request. Its router does not know yet: so for a while it goes on serving, while
 * `/readyz` says that it is going and every answer ends its connection. Then it takes no more, and what is under way
 * may end.
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
