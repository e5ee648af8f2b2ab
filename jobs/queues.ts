/**
 * The queues, one worker process each, so that slow jobs never delay those that a shopper waits for.
 * `concurrency` is how many jobs one process runs at once (`WORKER_CONCURRENCY_<QUEUE>` overrides it).
 */
export const queues = {
  payments: {
    concurrency: 32,
    about: 'Reconciles orders with the payment provider: by its events, by polling and by sweeps.',
  },
  labels: {
    concurrency: 16,
    about: 'Purchases the cheapest shipping label of each paid order. A failed job says what to do.',
  },
  webhooks: { concurrency: 32, about: 'Sends events to the webhook endpoints of each store.' },
  emails: { concurrency: 16, about: 'Sends emails.' },
  reminders: { concurrency: 4, about: 'Sends reminders of abandoned carts.' },
  // One tenant may use half of them, and jobs without a tenant count as one: two batches are aggregated at a time.
  analytics: { concurrency: 4, about: 'Adds analytics events to the daily numbers.' },
  chores: { concurrency: 4, about: 'Search index, retention, partitions and other maintenance.' },
  // One tenant may use half of them: one import or export of a store at a time.
  bulk: {
    concurrency: 2,
    about: 'Imports and exports of whole files, changes of many things, and erasures, in short batches.',
  },
} as const satisfies Record<string, { concurrency: number; about: string }>;

export type QueueName = keyof typeof queues;

export const queueNames = Object.keys(queues) as QueueName[];

/**
 * The queues that a shopper waits for, before and after paying, and how many of their jobs of a store start before all
 * others in a busy process: ten thousand labels that an owner retries delay nothing of other stores.
 */
export const firstOfStoreMax: Readonly<Partial<Record<QueueName, number>>> = { payments: Infinity, labels: 2 };

/** One hash tag per queue: a Redis Cluster needs all keys of a queue in one hash slot, and queues should spread. */
export function queuePrefix(queue: QueueName): string {
  return `{${queue}}`;
}
