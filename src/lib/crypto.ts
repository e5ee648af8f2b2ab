import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

/** Random text with 5 bits per character, without letters that look alike: 32 characters are 160 bits. */
export function randomText(characters: number): string {
  return Array.from(randomBytes(characters), (byte) => crockford[byte & 31]).join('');
}

export function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}

export function hmacSha256(key: string | Buffer, text: string | Buffer): Buffer {
  return createHmac('sha256', typeof key === 'string' ? key : preparedKey(key))
    .update(text)
    .digest();
}

const preparedKeys = new WeakMap<Buffer, KeyObject>();

/** A key of bytes is the same for as long as it lives, and to prepare it costs five times what a digest does. */
function preparedKey(bytes: Buffer): KeyObject {
  let key = preparedKeys.get(bytes);
  if (!key) preparedKeys.set(bytes, (key = createSecretKey(bytes)));
  return key;
}

/** Whether two secrets are equal, in a time that reveals neither where they differ nor how long the other one is. */
export function equalInConstantTime(left: string | Buffer, right: string | Buffer): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}

/** A few Crockford characters of a digest: for checksums and fingerprints, never for secrets. */
export function shortDigest(text: string, characters: number): string {
  return Array.from(sha256(text).subarray(0, characters), (byte) => crockford[byte & 31]).join('');
}
