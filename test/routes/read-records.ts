import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { RecordedResponse } from '#test/support/record-responses.ts';

/** What all test processes wrote to this folder. */
export function readRecords(folder: string): RecordedResponse[] {
  const lines = globSync('*.ndjson', { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8').trim().split('\n'),
  );
  return [...new Set(lines)].map((line): RecordedResponse => JSON.parse(line));
}
