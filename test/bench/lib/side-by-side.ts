import autocannon from 'autocannon';

import { percentile } from './numbers.ts';

/** One way of asking, at one server. */
export interface Contender {
  readonly name: string;
  readonly url: string;
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
}

const connections = 50;

/**
 * Load each contender in turn, round after round, so that whatever else the machine does happens to all of them, and
 * answer the medians. Every answer has to be a success.
 */
export async function sideBySide(contenders: readonly Contender[], { rounds = 5, seconds = 2 } = {}): Promise<Measured[]> {
  const results = contenders.map(() => ({ perSecond: [] as number[], p50: [] as number[], p99: [] as number[] }));
  for (const contender of contenders) await load(contender, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const { requests, latency, duration } = await load(contender, seconds);
      results[index]?.perSecond.push(requests.total / duration);
      results[index]?.p50.push(latency.p50);
      results[index]?.p99.push(latency.p99);
    }
  }
  const median = (values: readonly number[] = []) => percentile(values, 0.5);
  return contenders.map(({ name }, index) => ({
    name, perSecond: median(results[index]?.perSecond), p50: median(results[index]?.p50), p99: median(results[index]?.p99),
  }));
}

async function load({ name, url, headers = {}, method = 'GET', next }: Contender, duration: number): Promise<autocannon.Result> {
  const result = await autocannon({
    url, connections, duration, headers, method,
    ...(next && { requests: [{ setupRequest: (request: autocannon.Request) => ({ ...request, ...sent(next()) }) }] }),
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${name}: ${failed} of ${result.requests.total} requests failed (${JSON.stringify(result.statusCodeStats)}).`);
  return result;

  function sent({ headers: more, ...rest }: ReturnType<NonNullable<typeof next>>) {
    return { ...rest, method, headers: { ...headers, ...more } };
  }
}

/** A line for each, with its part of the floor that it is held against and the part that it should have. */
export function tell(measured: readonly Measured[], floorName: string, aim: number): void {
  const floor = measured.find(({ name }) => name === floorName);
  for (const { name, perSecond, p50, p99 } of measured) {
    const ratio = perSecond / (floor?.perSecond ?? 1);
    const verdict = name === floorName ? 'the floor' : `${ratio.toFixed(2)} of the floor (aim ${aim})${ratio >= aim ? '' : ', MISSED'}`;
    console.log(`${name.padEnd(34)} ${perSecond.toFixed(0).padStart(6)}/s  p50 ${p50} ms  p99 ${p99} ms  ${verdict}`);
  }
}
