import test from 'ava';

import { covers } from '#src/domain/tenants/index.ts';

test('who may write may read, and nobody the other way round', (t) => {
  t.true(covers(['orders:write'], 'orders:read'));
  t.true(covers(['orders:write'], 'orders:write'));
  t.true(covers(['orders:read'], 'orders:read'));
  t.false(covers(['orders:read'], 'orders:write'));
});

test('a scope says nothing about another resource, nor admin about the shop', (t) => {
  t.false(covers(['orders:write'], 'customers:read'));
  t.false(covers(['admin:write'], 'orders:read'));
  t.false(covers([], 'products:read'));
});
