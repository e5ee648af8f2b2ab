import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';

import { isBuiltFrom, putInPlace } from '#src/console/build/put-in-place.ts';

/** A folder in which builds are made and put in place. */
function openFolder(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'builds-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const place = join(folder, 'dist');
  return {
    folder,
    place,
    build(name: string, digest: string) {
      const finished = join(folder, `dist-${name}`);
      mkdirSync(finished);
      writeFileSync(join(finished, 'digest'), digest);
      writeFileSync(join(finished, 'built-by'), name);
      putInPlace(finished, place, digest);
    },
    builtBy: () => readFileSync(join(place, 'built-by'), 'utf8'),
  };
}

test('a build is put in place, and replaces one of other sources', (t) => {
  const { folder, place, build, builtBy } = openFolder(t);
  t.false(isBuiltFrom('a', place));
  build('1', 'a');
  t.is(builtBy(), '1');
  t.true(isBuiltFrom('a', place));
  build('2', 'b');
  t.is(builtBy(), '2');
  t.false(isBuiltFrom('a', place));
  t.deepEqual(readdirSync(folder), ['dist']);
});

test('a build that another process has put in place meanwhile stays, as it may be read already', (t) => {
  const { folder, place, build, builtBy } = openFolder(t);
  build('1', 'a');
  const { ino } = statSync(place);
  build('2', 'a');
  t.is(builtBy(), '1');
  t.is(statSync(place).ino, ino);
  t.deepEqual(readdirSync(folder), ['dist']);
});
