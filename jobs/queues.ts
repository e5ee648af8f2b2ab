/**
 * The queues, one worker process each, so that nothing slow stands before something that a person waits for.
 * `concurrency` is how many jobs one process works at once (`WORKER_CONCURRENCY_<QUEUE>` overrides it).
 */
export const queues = {
  payments: {
    concurrency: 16,
    about: 'Payment events, polls and sweeps: brings orders into line with the payment provider.',
  },
  labels: {
    concurrency: 16,
    about: 'Buys the cheapest shipping label of each paid order. A failed job says what to do.',
  },
  webhooks: { concurrency: 32, about: 'Fans events out and drains the deliveries of each endpoint.' },
  emails: { concurrency: 16, about: 'Sends mails.' },
  reminders: { concurrency: 4, about: 'Decides and sends reminders of abandoned carts.' },
  // Half of the slots are for what belongs to no store: two fold at a time.
  analytics: { concurrency: 4, about: 'Folds batches of analytics events and rolls them up.' },
  chores: { concurrency: 4, about: 'Search indexing, retention, partitions and other chores.' },
} as const satisfies Record<string, { concurrency: number; about: string }>;

export type QueueName = keyof typeof queues;

export const queueNames = Object.keys(queues) as QueueName[];

/** The queue of what a shopper waits for at the till: in a process that is busy the others give way to it. */
export const goesFirst: QueueName = 'payments';

/** One hash tag a queue: in a Redis Cluster all keys of a queue must lie in one slot, and queues should spread. */
export function queuePrefix(queue: QueueName): string {
  return `{${queue}}`;
}
