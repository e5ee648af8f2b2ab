import { randomBytes } from 'node:crypto';
import test from 'ava';
import { hashKey, hintOf, newKey, parseKey } from '#src/domain/tenants/api-key.ts';
import { covers } from '#src/domain/tenants/index.ts';

test('newKey writes kind and environment into the key, and parseKey reads them', (t) => {
  t.regex(newKey('secret', 'live'), /^sk_[0-9a-z]{38}$/);
  t.regex(newKey('secret', 'test'), /^sk_test_[0-9a-z]{38}$/);
  t.regex(newKey('publishable', 'live'), /^pk_[0-9a-z]{38}$/);
  t.regex(newKey('publishable', 'test'), /^pk_test_[0-9a-z]{38}$/);
  t.deepEqual(parseKey(newKey('publishable', 'test')), { kind: 'publishable', mode: 'test' });
  t.deepEqual(parseKey(newKey('secret', 'live')), { kind: 'secret', mode: 'live' });
});

test('newKey returns another key each time', (t) => {
  t.is(new Set(Array.from({ length: 1000 }, () => newKey('secret', 'test'))).size, 1000);
});

test('parseKey rejects a key with one mistyped character', (t) => {
  const key = newKey('secret', 'test');
  for (let index = 0; index < key.length; index += 1) {
    const mistyped = key.slice(0, index) + (key[index] === '0' ? '1' : '0') + key.slice(index + 1);
    t.is(parseKey(mistyped), undefined, mistyped);
  }
  t.is(parseKey(key.slice(0, -1)), undefined);
  t.is(parseKey(`${key}0`), undefined);
});

test('parseKey rejects a key whose prefix was changed', (t) => {
  t.is(parseKey(newKey('secret', 'test').replace('sk_test_', 'sk_')), undefined);
  t.is(parseKey(newKey('publishable', 'live').replace('pk_', 'sk_')), undefined);
});

test('hashKey depends on the pepper of the installation', (t) => {
  const key = newKey('secret', 'test');
  const pepper = randomBytes(32);
  t.deepEqual(hashKey(pepper, key), hashKey(pepper, key));
  t.notDeepEqual(hashKey(pepper, key), hashKey(randomBytes(32), key));
  t.is(hashKey(pepper, key).length, 32);
});

test('hintOf shows the prefix and the last characters of a key', (t) => {
  const key = newKey('secret', 'test');
  t.is(hintOf(key), `sk_test_…${key.slice(-4)}`);
});

test('covers lets a write scope read, but not the reverse', (t) => {
  t.true(covers(['orders:write'], 'orders:read'));
  t.true(covers(['orders:write'], 'orders:write'));
  t.true(covers(['orders:read'], 'orders:read'));
  t.false(covers(['orders:read'], 'orders:write'));
});

test('covers lets a scope of the owner reach every area, and the scope of an area only that', (t) => {
  t.true(covers(['admin:write'], 'admin.orders:read'));
  t.true(covers(['admin:write'], 'admin.refunds:write'));
  t.true(covers(['admin:read'], 'admin.orders:read'));
  t.false(covers(['admin:read'], 'admin.orders:write'));
  t.true(covers(['admin.labels:write'], 'admin.labels:read'));
  t.false(covers(['admin.labels:write'], 'admin.refunds:write'));
  t.false(covers(['admin.orders:write'], 'admin:write'));
  t.false(covers(['admin.orders:write'], 'orders:read'));
  t.false(covers(['orders:write'], 'admin.orders:read'));
});

test('covers lets no scope, admin included, reach another resource', (t) => {
  t.false(covers(['orders:write'], 'customers:read'));
  t.false(covers(['admin:write'], 'orders:read'));
  t.false(covers([], 'products:read'));
});
