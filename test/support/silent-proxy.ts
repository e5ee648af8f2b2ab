import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between a client and a server, both of this machine, that can fail without closing a connection. */
export interface SilentProxy {
  /** The URL of the server, through here. */
  readonly url: string;
  /** Forward nothing more. New connections are accepted, and hear nothing either. */
  silence(): void;
  /** Forward what connects from now on. What was connected before remains silent. */
  restore(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(serverUrl: string): Promise<SilentProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isSilent = false;

  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    hold(client);
    if (isSilent) return client.resume();
    const onward = connect(Number(target.port), target.hostname);
    hold(onward);
    client.pipe(onward);
    onward.pipe(client);
    client.on('close', () => onward.destroy());
    onward.on('close', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  const url = new URL(serverUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().resume();
    },
    restore() {
      isSilent = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
