import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startProcess } from '#src/dev/stack/start-process.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { percentile } from './lib/numbers.ts';

/* How soon after its start `web` responds, cold and with a warm compile cache, and its memory when idle. */

readBenchmark('start-up');
const bench = await startBench();

async function startOnce(cache: string): Promise<{ ms: number; megabytes: number }> {
  const { environment, url } = await bench.web({ NODE_COMPILE_CACHE: cache, LOG_LEVEL: 'warn' });
  const startedAt = performance.now();
  const web = startProcess('web', 'src/server.ts', environment);
  while (
    !(await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await pause(5);
  const ms = performance.now() - startedAt;
  await pause(2000);
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${web.pid}/status`, 'utf8'))?.[1];
  await web.stop();
  return { ms, megabytes: Number(resident) / 1024 };
}

try {
  const cold = await startOnce(`${bench.embedded.folder}/compiled`);
  const warm = [];
  for (let run = 0; run < 5; run += 1) warm.push(await startOnce(`${bench.embedded.folder}/compiled`));
  console.log(
    `web, cold compile cache   ${Math.round(cold.ms)} ms to the first 200, ${Math.round(cold.megabytes)} MB idle`,
  );
  console.log(
    `web, warm, median of 5    ${Math.round(
      percentile(
        warm.map(({ ms }) => ms),
        0.5,
      ),
    )} ms to the first 200, ${Math.round(
      percentile(
        warm.map(({ megabytes }) => megabytes),
        0.5,
      ),
    )} MB idle`,
  );
} finally {
  await bench.stop();
}
