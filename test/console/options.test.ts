import test from 'ava';

import { readOptions, writeOptions } from '#src/console/src/pages/products/options.ts';

test('options are written as imports have them, and read as they were', (t) => {
  t.is(writeOptions({ Size: 'Small', Color: 'Red' }), 'Size=Small; Color=Red');
  for (const options of [
    {},
    { Size: 'Small', Color: 'Red = warm' },
    { Size: 'S; M' },
    { 'a=b': 'c' },
    { Size: '' },
    { Size: ' x ' },
    { '{': '1' },
  ]) {
    t.deepEqual(readOptions(writeOptions(options)), options);
  }
});

test('options are read with other spaces, and what are none are not', (t) => {
  t.deepEqual(readOptions(' Size = Small;Color=Red; '), { Size: 'Small', Color: 'Red' });
  for (const nothing of [null, undefined, ' ']) t.deepEqual(readOptions(nothing), {});
  for (const wrong of ['Small', '=Small', 'Size=S; M', 'Size=S; Size=M', '{"Size":1}', '{']) {
    t.is(readOptions(wrong), undefined, wrong);
  }
});
