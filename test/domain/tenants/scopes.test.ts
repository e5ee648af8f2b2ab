import test from 'ava';

import { covers } from '#src/domain/tenants/index.ts';

test('a write scope includes the read scope, and not the other way round', (t) => {
  t.true(covers(['orders:write'], 'orders:read'));
  t.true(covers(['orders:write'], 'orders:write'));
  t.true(covers(['orders:read'], 'orders:read'));
  t.false(covers(['orders:read'], 'orders:write'));
});

test("a scope does not include other resources, nor an admin scope the storefront's", (t) => {
  t.false(covers(['orders:write'], 'customers:read'));
  t.false(covers(['admin:write'], 'orders:read'));
  t.false(covers([], 'products:read'));
});
