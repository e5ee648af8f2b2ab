import { readFileSync } from 'node:fs';

import { Html } from '#src/lib/html.ts';

/** The script of the page. */
export const tryIt = new Html(readFileSync(new URL('./try-it.js', import.meta.url), 'utf8'));
