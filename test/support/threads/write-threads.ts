import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = 'test/.threads';

/** They wait for processes and browsers that they start, or measure, for which they need a thread of their own. */
const alone = /^test\/(chaos|journeys|platform|workers)\/|\/(every-route|fuzz|on-a-stack|plans|processor-time)\./;
/** They begin first, the longest before the others, so that none is still running when all others have ended. */
const longest = [/\/console-in-a-browser\./, /^test\/(chaos|journeys)\/|-(killed|machines)\./];
/** So many that wait begin after all others: they are short, so that no place is empty for long at the end. */
const lastCount = 6;
/** So many lines of tests share a thread. */
const linesMax = 9000;

/**
 * AVA gives each file a thread, which loads the product and runs it while its code is still slow: a fifth of the time of
 * all tests. So write files that import several test files each. Returns them, those that wait among those that compute.
 */
export function writeThreads(): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root }).sort();
  const waiting = files
    .filter((file) => alone.test(file))
    .sort((one, other) => rankOf(one) - rankOf(other))
    .map((file) => [file]);
  const last = waiting.splice(-lastCount);
  const computing = inThreads(files.filter((file) => !alone.test(file)));

  mkdirSync(join(root, folder), { recursive: true });
  return [...spread(waiting, computing), ...last].map((thread, index) => {
    const path = `${folder}/${String(index).padStart(3, '0')}.ts`;
    const modules = [...thread, 'test/support/threads/declare.ts'];
    writeFileSync(join(root, path), modules.map((module) => `await import('#${module}');\n`).join(''));
    return path;
  });
}

function rankOf(file: string): number {
  const rank = longest.findIndex((pattern) => pattern.test(file));
  return rank === -1 ? longest.length : rank;
}

function inThreads(files: readonly string[]): string[][] {
  const threads: string[][] = [];
  let lines = Infinity;
  for (const file of files) {
    const count = readFileSync(join(root, file), 'utf8').split('\n').length;
    if (lines + count > linesMax) {
      threads.push([]);
      lines = 0;
    }
    threads.at(-1)?.push(file);
    lines += count;
  }
  return threads;
}

/** Both lists in one, each spread over its whole length. */
function spread<Each>(...lists: readonly Each[][]): Each[] {
  return lists
    .flatMap((list) => list.map((each, index) => ({ each, place: (index + 0.5) / list.length })))
    .sort((one, other) => one.place - other.place)
    .map(({ each }) => each);
}
