import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A free TCP port of 127.0.0.1: the wanted one, if given, or it throws. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Start something on a free port; on another one when the port was taken in the meantime. */
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
