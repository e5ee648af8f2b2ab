import { setFlagsFromString } from 'node:v8';

/*
 * `node --import` this: each thread of AVA lives for seconds and retains most of what it loads, which a young generation
 * that begins at 1 MB would copy again and again. A twelfth of the processor time of all threads.
 */
setFlagsFromString('--min-semi-space-size=64');
setFlagsFromString('--max-semi-space-size=64');
