import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { equalInConstantTime } from './crypto.ts';

/** No key of `ENCRYPTION_KEYS` decrypts a secret. The message says what to do. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

/** AES-256 keys by id. The first one seals; every one opens, so that keys can be rotated. */
export interface Keyring {
  /** Encrypt `plain`, bound to its owner and field: sealed text moved to another row or column does not open. */
  seal(owner: string, field: string, plain: string): string;
  /** Decrypt what `seal` made. Throws a `DecryptionError` when the key is gone, or the text was changed or moved. */
  open(owner: string, field: string, sealed: string): string;
  /** Whether `sealed` contains `plain`, or there is neither. What a lost key sealed contains nothing. */
  matches(owner: string, field: string, sealed: string | null | undefined, plain: string | null | undefined): boolean;
  /** Whether it has a key with the id of this text. One that was lost opens nothing: what it sealed has to be replaced. */
  knows(sealed: string): boolean;
  /** The ids of the keys, the sealing one first. Sealed text begins with the id of its key and a colon. */
  readonly ids: readonly [sealing: string, ...others: string[]];
  /** Whether this text was sealed by a key that is no longer the first one. */
  isStale(sealed: string): boolean;
}

/** @param keys pairs of id and 32 bytes, each id once, the sealing key first (`ENCRYPTION_KEYS`). */
export function createKeyring(keys: readonly (readonly [id: string, key: Buffer])[]): Keyring {
  const [first] = keys;
  if (!first) throw new TypeError('A keyring needs at least one key.');
  const [sealingId, sealingKey] = first;
  const byId = new Map(keys);
  if (byId.size < keys.length) throw new TypeError('Each key of a keyring needs an id of its own.');

  const open: Keyring['open'] = (owner, field, sealed) => {
    const { id, bytes } = parse(sealed);
    const key = byId.get(id);
    if (!key) throw new DecryptionError(`No encryption key has the id "${id}". Add it to ENCRYPTION_KEYS again.`);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(`${owner}\n${field}`));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
    } catch {
      throw new DecryptionError(
        `The encryption key "${id}" does not decrypt this: it is another key with that id, or the secret was changed.`,
      );
    }
  };

  return {
    ids: [sealingId, ...keys.slice(1).map(([id]) => id)],
    seal(owner, field, plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
      cipher.setAAD(Buffer.from(`${owner}\n${field}`));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${sealingId}:${Buffer.concat([nonce, body]).toString('base64')}`;
    },
    open,
    matches(owner, field, sealed, plain) {
      if (!sealed || !plain) return !sealed && !plain;
      if (!byId.has(parse(sealed).id)) return false;
      return equalInConstantTime(open(owner, field, sealed), plain);
    },
    knows: (sealed) => byId.has(parse(sealed).id),
    isStale: (sealed) => parse(sealed).id !== sealingId,
  };
}

function parse(sealed: string): { id: string; bytes: Buffer } {
  const colon = sealed.indexOf(':');
  return { id: sealed.slice(0, colon), bytes: Buffer.from(sealed.slice(colon + 1), 'base64') };
}
