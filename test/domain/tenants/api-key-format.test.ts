import { randomBytes } from 'node:crypto';
import test from 'ava';
import { hashKey, hintOf, newKey, parseKey } from '#src/domain/tenants/api-key.ts';

test('a key says its kind and its environment', (t) => {
  t.regex(newKey('secret', 'live'), /^sk_[0-9a-z]{38}$/);
  t.regex(newKey('secret', 'test'), /^sk_test_[0-9a-z]{38}$/);
  t.regex(newKey('publishable', 'live'), /^pk_[0-9a-z]{38}$/);
  t.regex(newKey('publishable', 'test'), /^pk_test_[0-9a-z]{38}$/);
  t.deepEqual(parseKey(newKey('publishable', 'test')), { kind: 'publishable', mode: 'test' });
  t.deepEqual(parseKey(newKey('secret', 'live')), { kind: 'secret', mode: 'live' });
});

test('no key is like another', (t) => {
  t.is(new Set(Array.from({ length: 1000 }, () => newKey('secret', 'test'))).size, 1000);
});

test('any one mistyped character is noticed without a look-up', (t) => {
  const key = newKey('secret', 'test');
  for (let index = 0; index < key.length; index += 1) {
    const mistyped = key.slice(0, index) + (key[index] === '0' ? '1' : '0') + key.slice(index + 1);
    t.is(parseKey(mistyped), undefined, mistyped);
  }
  t.is(parseKey(key.slice(0, -1)), undefined);
  t.is(parseKey(`${key}0`), undefined);
});

test('a test key cannot be turned into a live one by hand', (t) => {
  t.is(parseKey(newKey('secret', 'test').replace('sk_test_', 'sk_')), undefined);
  t.is(parseKey(newKey('publishable', 'live').replace('pk_', 'sk_')), undefined);
});

test('a key is stored as a hash that requires the pepper of this installation', (t) => {
  const key = newKey('secret', 'test');
  const pepper = randomBytes(32);
  t.deepEqual(hashKey(pepper, key), hashKey(pepper, key));
  t.notDeepEqual(hashKey(pepper, key), hashKey(randomBytes(32), key));
  t.is(hashKey(pepper, key).length, 32);
});

test('an owner recognises a key by its beginning and its end', (t) => {
  const key = newKey('secret', 'test');
  t.is(hintOf(key), `sk_test_…${key.slice(-4)}`);
});
