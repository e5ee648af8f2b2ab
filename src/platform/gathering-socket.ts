import { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

/**
 * A socket that sends what is written in one turn of the event loop as one packet: BEGIN travels with the first
 * statement behind it, the last one with COMMIT. Under TLS it is as any other.
 */
export class GatheringSocket extends Socket {
  override write(chunk: Uint8Array | string, written?: Written): boolean;
  override write(chunk: Uint8Array | string, encoding?: BufferEncoding, written?: Written): boolean;
  override write(...given: unknown[]): boolean {
    if (this.writableCorked === 0) {
      this.cork();
      process.nextTick(() => this.uncork());
    }
    return Reflect.apply(super.write, this, given);
  }
}
