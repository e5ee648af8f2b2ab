import ava from 'ava';
import { thread } from './shared-thread.ts';

/* What a thread of several test files imports after them. */

thread.declareTo(ava);

// AVA reports it at the thread's end, without its cause.
process.on('unhandledRejection', (reason) => {
  console.error(`Rejected and not handled during ${thread.running.join(' and ') || 'no test'}:`, reason);
});
