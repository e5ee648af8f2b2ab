import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A TCP port that nobody listened on at 127.0.0.1 a moment ago: the one that is wanted, or it throws. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts something on a free port, on another one when somebody was faster. */
export async function onFreePort(start: (port: number) => Promise<void>, attempts = 5): Promise<number> {
  const port = await freePort();
  try {
    await start(port);
    return port;
  } catch (error) {
    const wasTaken = error instanceof Error && /address (is )?already in use/i.test(error.message);
    if (!wasTaken || attempts === 1) throw error;
    return onFreePort(start, attempts - 1);
  }
}
