import { v7 } from 'uuid';

/** The prefix of each kind of id, which shows what the id refers to. */
export type IdPrefix =
  | 'ten'
  | 'key'
  | 'prod'
  | 'var'
  | 'cart'
  | 'line'
  | 'scart'
  | 'ord'
  | 'item'
  | 'hold'
  | 'sub'
  | 'cus'
  | 'ses'
  | 'ret'
  | 'lead'
  | 'rev'
  | 'entry'
  | 'promo'
  | 'gift'
  | 'lbl'
  | 'evt'
  | 'whe'
  | 'whd'
  | 'pay'
  | 'mail'
  | 'aud'
  | 'req'
  | 'job'
  | 'part'
  | 'ref'
  | 'inq'
  | 'ship'
  | 'rot'
  | 'otp'
  | 'idem'
  | 'bat'
  | 'doc'
  | 'mov'
  | 'rfd'
  | 'drift'
  | 'gap'
  | 'hint'
  | 'trk'
  | 'wait'
  | 'conn'
  | 'call'
  | 'link'
  | 'rem'
  | 'staff'
  | 'imp'
  | 'exp'
  | 'chg'
  | 'era';

/**
 * A new TypeID: the prefix and 26 characters of a UUIDv7 in Crockford base32, so that ids sort by age. `at`: of what is
 * older than its id.
 */
export function newId(prefix: IdPrefix, at?: Date): string {
  return idOf(prefix, v7(at && { msecs: at.getTime() }, bytes));
}

/** The id of 16 bytes, such as of a keyed hash: it is the same each time, and reveals no time and has no order. */
export function idOf(prefix: IdPrefix, bytes: Uint8Array): string {
  return `${prefix}_${toBase32(bytes)}`;
}

const bytes = new Uint8Array(16);
const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** 16 bytes as 26 digits of five bits: two bits that are zero come first. */
function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let left = 2;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (left += 8; left >= 5; ) {
      left -= 5;
      text += digits[(bits >> left) & 31];
    }
  }
  return text;
}

/** The pattern of an id of this kind, for schemas and for telling a malformed id from an unknown one. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
}
