import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test from 'ava';

import { announceStack, findRunningStack } from '#src/cli/lib/running-stack.ts';

test('the command line finds a running stack, and none that has ended', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'stack', 'dev.json');
  t.is(findRunningStack(file), undefined);

  const announced = announceStack({ DATABASE_URL: 'postgres://here' }, file);
  t.deepEqual(findRunningStack(file), { DATABASE_URL: 'postgres://here' });
  t.is(statSync(file).mode & 0o077, 0, 'its keys are for this account alone');

  const another = { ...JSON.parse(readFileSync(file, 'utf8')), pid: 2 ** 22 + 1 };
  writeFileSync(file, JSON.stringify(another));
  t.is(findRunningStack(file), undefined, 'its process is gone');
  announced.unpublish();
  t.deepEqual(JSON.parse(readFileSync(file, 'utf8')), another, "another's is left alone");

  announceStack({}, file).unpublish();
  t.throws(() => statSync(file), { code: 'ENOENT' });
});
