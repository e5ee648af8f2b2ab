import { Socket } from 'node:net';

/**
 * A socket that sends what is written in one turn of the event loop as one packet: BEGIN travels with the first
 * statement behind it, the last one with COMMIT. Under TLS it is as any other.
 */
export function gatheringSocket(): Socket {
  const socket = new Socket();
  // Not before, because connecting puts the socket's own method back in its place.
  socket.once('connect', () => {
    const write: Function = socket.write;
    socket.write = (...given: unknown[]) => {
      if (socket.writableCorked === 0) {
        socket.cork();
        process.nextTick(() => socket.uncork());
      }
      return Reflect.apply(write, socket, given);
    };
  });
  return socket;
}
