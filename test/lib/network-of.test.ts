import test from 'ava';

import { networkOf } from '#src/lib/network-of.ts';

test('networkOf returns the network of an IP address in one notation', (t) => {
  t.is(networkOf('203.0.113.77'), '203.0.113');
  t.is(networkOf('::ffff:203.0.113.77'), '203.0.113');
  t.is(networkOf('2001:db8:7:1::5'), '2001:db8:7');
  t.is(networkOf('2001:0DB8:0007:ffff:0:0:0:1'), '2001:db8:7');
  t.is(networkOf('::1'), '0:0:0');
  t.is(networkOf('::1:2:3:4:5:6:7'), '0:1:2');
  t.is(networkOf('fe80::1%eth0'), 'fe80:0:0');
  for (const text of ['', 'localhost', '203.0.113', '203.0.113.256']) t.is(networkOf(text), '', text);
});
