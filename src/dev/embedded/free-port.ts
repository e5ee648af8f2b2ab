import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Below the ports that systems give to connections, which would take one between its choice and its use. */
const ports = { from: 15_000, to: 32_000 };

/** A free TCP port of 127.0.0.1: the wanted one, if given, or it throws. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted) return listenOn(wanted);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = await listenOn(randomInt(ports.from, ports.to)).catch(() => undefined);
    if (port) return port;
  }
  return listenOn(0);
}

async function listenOn(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Start something on a free port; on another one when the port was taken in the meantime. */
export async function onFreePort<Started>(
  start: (port: number) => Promise<Started>,
  attempts = 5,
): Promise<{ readonly port: number; readonly started: Started }> {
  const port = await freePort();
  try {
    return { port, started: await start(port) };
  } catch (error) {
    const wasTaken = error instanceof Error && /address (is )?already in use/i.test(error.message);
    if (!wasTaken || attempts === 1) throw error;
    return onFreePort(start, attempts - 1);
  }
}
