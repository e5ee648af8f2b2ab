import type { Writable } from 'node:stream';

/**
 * From now on, what is written to this stream in one turn of the event loop is handed to the operating system at once:
 * BEGIN with the first statement of a transaction, and its last statements with COMMIT.
 */
export function sendTogether(stream: Writable): void {
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  let isCorked = false;
  stream.write = (...given: unknown[]) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return write(...given);
  };
}
