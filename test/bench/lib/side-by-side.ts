import { readFileSync } from 'node:fs';

import autocannon from 'autocannon';

import { percentile } from './numbers.ts';

/** A kind of request to one server. */
export interface Contender {
  readonly name: string;
  readonly url: string;
  /** The process that responds. */
  readonly pid: number;
  readonly headers?: Record<string, string>;
  readonly method?: 'GET' | 'POST';
  /** The next request of one of the connections, where they differ. */
  readonly next?: () => { path: string; body?: string; headers?: Record<string, string> };
}

export interface Measured {
  readonly name: string;
  /** The median of its rounds. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The processor time of the responding process per request, which other work of the machine does not change. */
  readonly cpuMicroseconds: number;
}

const connections = 50;

/**
 * Load each contender in turn, round after round, so that whatever else the machine does happens to all of them, and
 * return the medians. Every response has to be a success.
 */
export async function sideBySide(
  contenders: readonly Contender[],
  { rounds = 5, seconds = 2 } = {},
): Promise<Measured[]> {
  const results = contenders.map(() => ({
    perSecond: [] as number[],
    p50: [] as number[],
    p99: [] as number[],
    cpu: [] as number[],
  }));
  for (const contender of contenders) await load(contender, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const before = cpuSecondsOf(contender.pid);
      const { requests, latency, duration } = await load(contender, seconds);
      results[index]?.cpu.push(((cpuSecondsOf(contender.pid) - before) * 1e6) / requests.total);
      results[index]?.perSecond.push(requests.total / duration);
      results[index]?.p50.push(latency.p50);
      results[index]?.p99.push(latency.p99);
    }
  }
  const median = (values: readonly number[] = []) => percentile(values, 0.5);
  return contenders.map(({ name }, index) => ({
    name,
    perSecond: median(results[index]?.perSecond),
    p50: median(results[index]?.p50),
    p99: median(results[index]?.p99),
    cpuMicroseconds: median(results[index]?.cpu),
  }));
}

/** In the hundredths of a second that Linux counts. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function load(
  { name, url, headers = {}, method = 'GET', next }: Contender,
  duration: number,
): Promise<autocannon.Result> {
  const result = await autocannon({
    url,
    connections,
    duration,
    headers,
    method,
    ...(next && { requests: [{ setupRequest: (request: autocannon.Request) => ({ ...request, ...sent(next()) }) }] }),
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0)
    throw new Error(
      `${name}: ${failed} of ${result.requests.total} requests failed (${JSON.stringify(result.statusCodeStats)}).`,
    );
  return result;

  function sent({ headers: more, ...rest }: ReturnType<NonNullable<typeof next>>) {
    return { ...rest, method, headers: { ...headers, ...more } };
  }
}

/** A line for each: the first is the floor, the others have their share of it and the share that they should have. */
export function report([floor, ...others]: readonly Measured[], aim: number): void {
  if (!floor) return;
  console.log(`${figuresOf(floor)}  the floor`);
  for (const measured of others) {
    const byRate = (measured.perSecond / floor.perSecond).toFixed(2);
    const byProcessor = (floor.cpuMicroseconds / measured.cpuMicroseconds).toFixed(2);
    console.log(`${figuresOf(measured)}  ${byRate} of the floor, ${byProcessor} by processor time (aim ${aim})`);
  }
}

function figuresOf({ name, perSecond, p50, p99, cpuMicroseconds }: Measured): string {
  const [rate, cpu] = [perSecond.toFixed(0).padStart(6), cpuMicroseconds.toFixed(0).padStart(4)];
  return `${name.padEnd(38)} ${rate}/s  p50 ${p50} ms  p99 ${p99} ms  ${cpu} µs of processor time`;
}
