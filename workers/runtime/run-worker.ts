import { runUntilSignalled } from '#src/lib/process.ts';
import type { Work } from './start-process.ts';

/** Run a worker process until it receives a signal to stop. */
export async function runWorker(name: string, work: Work): Promise<void> {
  await runUntilSignalled(async () => {
    const { startProcess } = await import('./start-process.ts');
    return startProcess(name, work);
  });
}
