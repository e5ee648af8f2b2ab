/* PostgreSQL's binary form of `real[]`. */

/** The head is three words, and two for the one dimension; then each number has its length before it. */
const headBytes = 20;
const lengthAt = 12;
const bytesEach = 8;

/** How many numbers a packed vector has. */
export const dimensionsOf = (packed: Buffer) => (packed.length > headBytes ? packed.readInt32BE(lengthAt) : 0);

/** Write its numbers to a place. */
export function unpack(packed: Buffer, into: Float32Array, at: number, dimensions: number): void {
  for (let index = 0; index < dimensions; index += 1) {
    into[at + index] = packed.readFloatBE(headBytes + index * bytesEach + 4);
  }
}
