import type { ExecutionContext } from 'ava';

import { type StackProcess, startProcess } from '#src/dev/stack/start-process.ts';

/**
 * Start every worker and the relay in one process of its own, for a test that kills it. It is gone when the test is.
 */
export function startWorker(t: ExecutionContext<any>, environment: Record<string, string>): StackProcess {
  const worker = startProcess('worker', 'workers/all.ts', { PATH: process.env['PATH'] ?? '', ...environment });
  t.teardown(() => worker.kill('SIGKILL'));
  return worker;
}
