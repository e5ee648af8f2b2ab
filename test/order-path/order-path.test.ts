import test from 'ava';
import { runEntry } from '#test/support/run-entry.ts';

test('an order executes no more files from its checkout to its label than an engineer would read', async (t) => {
  const { PATH = '', TMPDIR = '/tmp' } = process.env;
  const { code, out, err } = await runEntry('test/order-path/main.ts', [], { PATH, TMPDIR });
  t.is(code, 0, out + err);
  t.regex(out, /^[1-9]\d files of the path; the limit is 75\.$/m);
});
