import { thread } from './shared-thread.ts';

/* What `?file=…` imports as `ava`, where it shares its thread (resolve-directly.ts). */

export * from 'ava';
export default thread.testOf(new URL(import.meta.url).searchParams.get('file') ?? '');
