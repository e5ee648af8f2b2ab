import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { RecordedAnswer } from '#test/support/record-answers.ts';

/** What all test processes wrote into this folder. */
export function readRecords(folder: string): RecordedAnswer[] {
  const lines = globSync('*.ndjson', { cwd: folder }).flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'));
  return [...new Set(lines)].map((line): RecordedAnswer => JSON.parse(line));
}
