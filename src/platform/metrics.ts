import { Counter, Histogram, Registry } from 'prom-client';

/** What a process counts about itself. */
export interface Metrics {
  readonly registry: Registry;
  /** Count a run; call the answer with its outcome when it ends. */
  jobStarted(queue: string, job: string): (outcome: string) => void;
  /** Count a request; call the answer with its status when it is answered. */
  requestStarted(): (labels: { method: string; route: string; status: number }) => void;
  count(name: 'webhook_signature_refused' | 'rate_limited', labels?: { tenant?: string }): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const runs = new Histogram({
    name: 'storefront_job_seconds',
    help: 'How long runs of jobs took, by outcome.',
    labelNames: ['queue', 'job', 'outcome'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers,
  });
  const requests = new Histogram({
    name: 'storefront_request_seconds',
    help: 'How long requests took, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.05, 0.2, 1, 5],
    registers,
  });
  const counters = {
    webhook_signature_refused: new Counter({
      name: 'storefront_webhook_signature_refused_total',
      help: 'Inbound provider webhooks with a wrong signature.',
      labelNames: ['tenant'],
      registers,
    }),
    rate_limited: new Counter({ name: 'storefront_rate_limited_total', help: 'Requests refused by count.', labelNames: ['tenant'], registers }),
  };

  return {
    registry,
    jobStarted(queue, job) {
      const stop = runs.startTimer({ queue, job });
      return (outcome) => void stop({ outcome });
    },
    requestStarted() {
      const stop = requests.startTimer();
      return ({ method, route, status }) => void stop({ method, route, status });
    },
    count: (name, labels = {}) => counters[name].inc(labels),
  };
}
