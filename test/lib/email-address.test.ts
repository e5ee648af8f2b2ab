import test from 'ava';

import { readSender } from '#src/lib/email-address.ts';

test('readSender reads everything before the last bracket as the name', (t) => {
  const table: [string, string, string][] = [
    ['Cedar & Clay <hello@cedar.example>', 'Cedar & Clay', 'hello@cedar.example'],
    ['"Smith, Jones" <hello@cedar.example>', 'Smith, Jones', 'hello@cedar.example'],
    ['"The \\"Best\\" \\\\ Shop" <a@b.example>', 'The "Best" \\ Shop', 'a@b.example'],
    ['The "Best" Shop <a@b.example>', 'The "Best" Shop', 'a@b.example'],
    ['I <3 Bowls <a@b.example>', 'I <3 Bowls', 'a@b.example'],
    ['Über 🌱 木 <a@b.example> ', 'Über 🌱 木', 'a@b.example'],
    ['A\r\nBcc: x@y.example <a@b.example>', 'A Bcc: x@y.example', 'a@b.example'],
    ['hello@cedar.example', '', 'hello@cedar.example'],
    ['<a@b.example>', '', 'a@b.example'],
  ];
  for (const [written, name, address] of table) t.deepEqual(readSender(written), { name, address }, written);
});
