import { Counter, Histogram, Registry } from 'prom-client';

import { type Family, type Labels, seriesOf } from './exposition.ts';

/** What a process counts about itself. Only sums: what several processes counted can be added up. */
export interface Metrics {
  /** Count an attempt; call the returned function with its outcome when it ends. */
  jobStarted(queue: string, job: string): (outcome: string) => void;
  /** A job was run for the first time, so long after it came to its queue. */
  jobWaited(queue: string, seconds: number): void;
  requestHandled(labels: { method: string; route: string; status: number }, seconds: number): void;
  count(
    name: 'inbound_refused' | 'rate_limited' | 'mail_attempts',
    labels?: { tenant?: string; provider?: string; outcome?: string },
  ): void;
  /** What was counted since the start, by series. */
  series(): Promise<Map<string, number>>;
  /** These series with their names and descriptions. Series that are no longer counted are left out. */
  families(series: ReadonlyMap<string, number>): Family[];
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const described: Omit<Family, 'samples'>[] = [];

  function histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    described.push({ name, help, type: 'histogram' });
    return new Histogram({ name, help, labelNames, buckets, registers: [registry] });
  }

  function counter(name: string, help: string, labelNames: string[]): Counter {
    described.push({ name, help, type: 'counter' });
    return new Counter({ name, help, labelNames, registers: [registry] });
  }

  const runs = histogram(
    'storefront_job_seconds',
    'Duration of job attempts, by outcome.',
    ['queue', 'job', 'outcome'],
    [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  );
  const waits = histogram(
    'storefront_job_wait_seconds',
    'Time that jobs waited in their queue for the first attempt.',
    ['queue'],
    [0.01, 0.05, 0.2, 1, 5, 30, 300],
  );
  const requests = histogram(
    'storefront_request_seconds',
    'Duration of requests, by route and status.',
    ['method', 'route', 'status'],
    [0.002, 0.005, 0.01, 0.05, 0.2, 1, 5],
  );
  const counters = {
    inbound_refused: counter(
      'storefront_inbound_refused_total',
      'Provider webhooks rejected because of a wrong signature or token, or an unreadable body.',
      ['tenant', 'provider'],
    ),
    mail_attempts: counter(
      'storefront_mail_attempts_total',
      'Attempts to send an email, by outcome; unavailable: the mail server did not take it, but may take it later.',
      ['outcome'],
    ),
    rate_limited: counter('storefront_rate_limited_total', 'Requests rejected by a rate limit.', ['tenant']),
  };

  return {
    jobStarted(queue, job) {
      const stop = runs.startTimer({ queue, job });
      return (outcome) => void stop({ outcome });
    },
    jobWaited: (queue, seconds) => waits.observe({ queue }, seconds),
    requestHandled: (labels, seconds) => requests.observe(labels, seconds),
    count: (name, labels = {}) => counters[name].inc(labels),
    async series() {
      const metrics = await registry.getMetricsAsJSON();
      return new Map(
        metrics.flatMap(({ name, values }) =>
          values.map((value) => [seriesOf(nameOf(value) ?? name, value.labels as Labels), value.value] as const),
        ),
      );
    },
    families: (series) => described.map((family) => ({ ...family, samples: samplesOf(family.name, series) })),
  };
}

/** A histogram counts under three names: its buckets, their sum and their count. */
function nameOf(value: object): string | undefined {
  return 'metricName' in value && typeof value.metricName === 'string' ? value.metricName : undefined;
}

function samplesOf(name: string, series: ReadonlyMap<string, number>): [string, number][] {
  const own = new RegExp(`^${name}(_bucket|_sum|_count)?({|$)`);
  return [...series].filter(([key]) => own.test(key)).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
