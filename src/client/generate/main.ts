import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

import { generate } from './generate.ts';

/* Writes src/generated from the API document on standard input. */

const files = await generate(JSON.parse(await text(process.stdin)));
for (const [name, content] of Object.entries(files))
  writeFileSync(new URL(`../src/generated/${name}`, import.meta.url), content);
