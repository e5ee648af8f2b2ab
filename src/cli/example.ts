import { readFile } from 'node:fs/promises';

import { defineCommand } from './lib/command.ts';

/** The reference of the store file is a store file: tests apply it, so it cannot fall behind. */
export const exampleCommand = defineCommand({
  name: 'example',
  summary: 'Print an example store file with every section and field.',
  async run() {
    const file = await readFile(new URL('./apply/store.example.yaml', import.meta.url), 'utf8');
    return { data: { file }, lines: [file.trimEnd()] };
  },
});
