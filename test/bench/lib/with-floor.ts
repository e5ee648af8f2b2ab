import { startProcess } from '#src/dev/stack/start-process.ts';
import type { Bench } from './bench-environment.ts';

/** A server that is measured. */
export interface Measurable {
  readonly url: string;
  readonly pid: number;
}

/**
 * Our web process and the bare server, each in a process of its own on the same database, for as long as `work` takes.
 */
export async function withFloor(
  bench: Bench,
  floorEnvironment: Record<string, string>,
  work: (service: Measurable, floor: Measurable) => Promise<void>,
): Promise<void> {
  const [web, bare] = await Promise.all([bench.web(), bench.web(floorEnvironment)]);
  const processes = [
    startProcess('web', 'src/server.ts', web.environment),
    startProcess('floor', 'test/bench/lib/floor.ts', bare.environment),
  ] as const;
  try {
    await Promise.all(processes.map((process) => process.waitFor('listening')));
    await work({ url: web.url, pid: processes[0].pid }, { url: bare.url, pid: processes[1].pid });
  } finally {
    for (const process of processes) await process.stop();
  }
}
