import test from 'ava';

import { columns } from '#src/cli/lib/columns.ts';

test('columns are under each other, also beside names in Japanese', (t) => {
  t.deepEqual(
    columns([
      ['NAME', 'ROLE'],
      ['茶屋の店主', 'owner'],
      ['Ada', 'analyst'],
    ]),
    ['NAME        ROLE', '茶屋の店主  owner', 'Ada         analyst'],
  );
});
