import { isAscii, isUtf8 } from 'node:buffer';
import { invalidRequest } from '#src/lib/errors.ts';
import { rowBytesMax } from './read-rows.ts';

/** Files that are no text, by how they begin. */
const binaries: readonly (readonly [beginning: Buffer, what: string])[] = [
  [Buffer.from('PK\x03\x04'), 'a ZIP or Excel file'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an Excel file'],
  [Buffer.from([0x1f, 0x8b]), 'a gzip file'],
  [Buffer.from('%PDF'), 'a PDF file'],
];

/** Encodings by the byte order mark that a file begins with. */
const encodings: readonly (readonly [mark: Buffer, encoding: string])[] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

const beginningBytes = 4;

interface Decoder {
  /** How many of these bytes can be decoded without those that follow. */
  endOf(bytes: Buffer): number;
  decode(bytes: Buffer, isLast: boolean): Buffer;
}

/**
 * A text file as UTF-8 without a byte order mark, piece by piece. A file that begins with a byte order mark has the
 * encoding that it names. Another one is UTF-8, or `otherEncoding` if its first text beyond ASCII is not.
 * @throws DomainError `invalid_request` for what is no text
 */
export async function* toUtf8(file: AsyncIterable<Buffer>, otherEncoding: string): AsyncIterable<Buffer> {
  let decoder: Decoder | undefined;
  let waiting: Buffer = Buffer.alloc(0);
  for await (const piece of file) {
    waiting = waiting.length > 0 ? Buffer.concat([waiting, piece]) : piece;
    if (waiting.length < beginningBytes) continue;
    if (!decoder) ({ decoder, rest: waiting } = detect(waiting, otherEncoding));
    const end = decoder.endOf(waiting);
    yield withoutNul(decoder.decode(waiting.subarray(0, end), false));
    waiting = waiting.subarray(end);
    if (waiting.length > rowBytesMax) throw invalidRequest(`A line has more than ${rowBytesMax} bytes.`);
  }
  if (!decoder) ({ decoder, rest: waiting } = detect(waiting, otherEncoding));
  yield withoutNul(decoder.decode(waiting, true));
}

function detect(beginning: Buffer, otherEncoding: string): { decoder: Decoder; rest: Buffer } {
  const begins = (bytes: Buffer) => bytes.equals(beginning.subarray(0, bytes.length));
  const [, binary] = binaries.find(([start]) => begins(start)) ?? [];
  if (binary) throw invalidRequest(`This is ${binary}. Save it as CSV in UTF-8, and send that.`);
  const [mark, encoding] = encodings.find(([mark]) => begins(mark)) ?? [];
  const decoder = encoding?.startsWith('utf-16') ? utf16(encoding) : withAscii(encoding, otherEncoding);
  return { decoder, rest: beginning.subarray(mark?.length ?? 0) };
}

function utf16(encoding: string): Decoder {
  return { endOf: ({ length }) => length, decode: decoderOf(encoding, 'not in UTF-16 throughout') };
}

/**
 * An encoding with ASCII in it. A character may end with an ASCII byte and never begins with one of several, so that
 * behind it is the end of a character, or else of a part that the decoder keeps.
 */
function withAscii(named: string | undefined, otherEncoding: string): Decoder {
  let encoding = named;
  const decodeOther = decoderOf(otherEncoding, `neither in UTF-8 nor in ${otherEncoding}`, meaningless);
  return {
    endOf: (bytes) => bytes.findLastIndex((byte) => byte < 0x80) + 1,
    decode(bytes, isLast) {
      if (!encoding && isAscii(bytes)) return bytes;
      encoding ??= isMeantAsUtf8(bytes) ? 'utf-8' : otherEncoding;
      if (encoding !== 'utf-8') return decodeOther(bytes, isLast);
      if (!isUtf8(bytes)) throw wrongEncoding('not in UTF-8 throughout');
      return bytes;
    },
  };
}

/** UTF-8 may be damaged, as by a program that cuts texts after some bytes: read in another encoding, it is all wrong. */
function isMeantAsUtf8(bytes: Buffer): boolean {
  const characters = bytes.toString().match(/[\u0080-\u{10ffff}]/gu) ?? [];
  const wrong = characters.filter((character) => character === '\ufffd');
  return wrong.length * 10 <= characters.length;
}

/** Control and private characters: decoders make them of bytes that mean nothing in their encoding. */
const meaningless = /[\u0080-\u009f\ue000-\uf8ff]/;

function decoderOf(encoding: string, problem: string, wrong?: RegExp): Decoder['decode'] {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes, isLast) => {
    try {
      const text = decoder.decode(bytes, { stream: !isLast });
      if (!wrong?.test(text)) return Buffer.from(text);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    throw wrongEncoding(problem);
  };
}

const wrongEncoding = (problem: string) =>
  invalidRequest(`The file is ${problem}. Save it in UTF-8, and send it again.`);

function withoutNul(text: Buffer): Buffer {
  if (text.includes(0)) throw invalidRequest('The file is not text. Send CSV or JSON lines.');
  return text;
}
