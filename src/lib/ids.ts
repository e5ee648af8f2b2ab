import { typeidUnboxed } from 'typeid-js';

/** Every kind of id there is: a prefix that tells a reader what he holds. See api.md, "General". */
export type IdPrefix =
  | 'ten' | 'key' | 'prod' | 'var' | 'cart' | 'line' | 'scart' | 'ord' | 'item' | 'hold' | 'sub' | 'cus'
  | 'ses' | 'ret' | 'lead' | 'rev' | 'entry' | 'promo' | 'gift' | 'lbl' | 'evt' | 'whe' | 'whd' | 'pay'
  | 'mail' | 'aud' | 'req' | 'job' | 'part' | 'ref' | 'inq' | 'ship' | 'rot' | 'idem' | 'bat' | 'doc'
  | 'mov' | 'rfd' | 'drift' | 'gap'
  | 'hint' | 'trk' | 'wait' | 'conn' | 'call' | 'link' | 'rem';

/** A new TypeID: the prefix and 26 characters of a UUIDv7 in Crockford base32, so that ids sort by age. */
export function newId(prefix: IdPrefix): string {
  return typeidUnboxed(prefix);
}

/** The pattern of an id of this kind, for schemas and for telling a malformed id from an unknown one. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
}
