import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between a client and a server, both of this machine, that can fail. */
export interface SilentProxy {
  /** The URL of the server, through here. */
  readonly url: string;
  /** Forward nothing more. New connections are accepted, and hear nothing either. */
  silence(): void;
  /** Close every connection, also those that are made from now on, as when no server listens. */
  reject(): void;
  /** How many connections were rejected. */
  readonly rejected: number;
  /** Forward what connects from now on. What was connected before remains silent. */
  restore(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(serverUrl: string): Promise<SilentProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let rejected = 0;
  let state: 'forwarding' | 'silent' | 'rejecting' = 'forwarding';

  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    hold(client);
    if (state === 'rejecting') {
      rejected += 1;
      client.destroy();
      return;
    }
    if (state === 'silent') return client.resume();
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
    get rejected() {
      return rejected;
    },
    silence() {
      state = 'silent';
      for (const socket of sockets) socket.unpipe().resume();
    },
    reject() {
      state = 'rejecting';
      for (const socket of sockets) socket.destroy();
    },
    restore() {
      state = 'forwarding';
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
