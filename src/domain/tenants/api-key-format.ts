import { hmacSha256, randomText, shortDigest } from '#src/lib/crypto.ts';

export type KeyKind = 'secret' | 'publishable';
export type KeyMode = 'test' | 'live';

const randomCharacters = 32;
const checksumCharacters = 6;
const pattern = /^(sk|pk)_(test_)?([0-9a-hjkmnp-tv-z]{32})([0-9a-hjkmnp-tv-z]{6})$/;

/** A new key: its prefix tells kind and mode, 160 random bits follow, and a checksum that catches typing errors. */
export function newKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = `${kind === 'secret' ? 'sk' : 'pk'}_${mode === 'test' ? 'test_' : ''}`;
  const random = randomText(randomCharacters);
  return `${prefix}${random}${shortDigest(prefix + random, checksumCharacters)}`;
}

/** What a key says of itself, or `undefined` when it was mistyped or was never a key. Needs no look-up. */
export function parseKey(key: string): { kind: KeyKind; mode: KeyMode } | undefined {
  const match = pattern.exec(key);
  if (!match) return undefined;
  const [, kind, test, , checksum] = match;
  if (shortDigest(key.slice(0, -checksumCharacters), checksumCharacters) !== checksum) return undefined;
  return { kind: kind === 'sk' ? 'secret' : 'publishable', mode: test ? 'test' : 'live' };
}

/** What is stored of a key: without the pepper of this installation, a stolen table names no key. */
export function hashKey(pepper: Buffer, key: string): Buffer {
  return hmacSha256(pepper, key);
}

/** Enough of a key for its owner to recognise it by. */
export function hintOf(key: string): string {
  return `${key.slice(0, key.lastIndexOf('_') + 1)}…${key.slice(-4)}`;
}
