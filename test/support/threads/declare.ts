import ava from 'ava';
import { thread } from './shared-thread.ts';

/* What a thread of several test files imports after them. */

thread.declareTo(ava);
