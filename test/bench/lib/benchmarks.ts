import { readOptions, type ScriptOptions } from '#src/cli/lib/script-options.ts';

interface Benchmark {
  readonly summary: string;
  readonly options: ScriptOptions;
  /** Example arguments. */
  readonly example: string;
}

/** Every benchmark by its name, which is that of its file. */
export const benchmarks = {
  'analytics-ingestion': {
    summary:
      'Events per second over HTTP against the plainest insert, the lag of the aggregation, also at overload, ' +
      'and whether\n' +
      'each event counts once.',
    options: { events: { default: 200_000, description: 'Events to send.' } },
    example: '50000',
  },
  carts: {
    summary: 'Reading a cart, and adding to one, at 50 connections, against bare servers.',
    options: {
      rounds: { default: 5, description: 'How often each is measured.' },
      seconds: { default: 2, description: 'How long each time.' },
    },
    example: '3 1',
  },
  checkout: {
    summary: 'Our own part of a checkout, the time of the provider subtracted, against its statements sent bare.',
    options: { requests: { default: 300, description: 'Checkouts to measure, of each kind.' } },
    example: '100',
  },
  console: {
    summary: 'The pages of the console in a store with many orders, in Chromium.',
    options: {
      orders: { default: 100_000, description: 'Orders and products of the store.' },
      times: { default: 10, description: 'How often each is measured.' },
    },
    example: '2000 3',
  },
  imports: {
    summary: 'How fast a catalog is imported, what another store feels of it, and whether kills change the result.',
    options: {
      products: { default: 100_000, description: 'Products of the file, with two variants each.' },
      kills: { default: 20, description: 'How often the worker is killed during the second import.' },
      orders: { default: 20, description: 'Orders to buy in another store, quiet and beside the first import.' },
    },
    example: '5000 5 5',
  },
  'inbound-webhooks': {
    summary: 'Signed events accepted, against a server that inserts and commits.',
    options: {
      rounds: { default: 5, description: 'How often each is measured.' },
      seconds: { default: 2, description: 'How long each time.' },
    },
    example: '3 1',
  },
  neighbours: {
    summary:
      'How long a cart, a label and the delivery of order.paid take while another store takes more than its share.',
    options: {
      due: { default: 100_000, description: 'Jobs of each kind that are due in the other store.' },
      hanging: { default: 10_000, description: 'Deliveries that are due at an endpoint that hangs.' },
      orders: { default: 20, description: 'Orders to measure, quiet and beside each flood.' },
      products: { default: 5000, description: 'Products of the other store.' },
      searching: { default: 20, description: 'Connections that search in it.' },
    },
    example: '5000 1000 5',
  },
  orders: {
    summary:
      'Orders from a cart to the enqueued label, through the real processes: ' +
      'the time of an accepted event, idle and under\n' +
      'load, orders per second, and the cost of one, without and with all that follows; peak memory.',
    options: {
      orders: { default: 300, description: 'Orders to buy in each part.' },
      'at-once': { default: 8, description: 'Shoppers at once.' },
    },
    example: '300 1',
  },
  reads: {
    summary: 'The hot reads, cached and uncached, against bare Koa servers.',
    options: {
      rounds: { default: 5, description: 'How often each is measured.' },
      seconds: { default: 2, description: 'How long each time.' },
    },
    example: '3 1',
  },
  'search-quality': {
    summary: 'How well search finds what is meant, by text and by meaning, in a store with known results.',
    options: {},
    example: '',
  },
  search: {
    summary: 'Searches by text and by meaning in a large store, at the real web process.',
    options: {
      products: { default: 10_000, description: 'Products of the store.' },
      searches: { default: 3000, description: 'Searches by each mode, a sixth of each kind.' },
    },
    example: '2000 500',
  },
  'sign-in-timing': {
    summary: 'Whether the time of a response reveals a known address. Exits with 1 if it does.',
    options: {
      requests: { default: 2000, description: 'Requests for known addresses, and as many for unknown ones.' },
    },
    example: '500',
  },
  sizes: {
    summary: 'Lists and searches in stores of 100 products and orders, of a tenth of the largest, and in the largest.',
    options: {
      largest: { default: 100_000, description: 'Products and orders of the largest store.' },
      times: { default: 30, description: 'How often each is measured.' },
    },
    example: '20000 10',
  },
  'start-up': {
    summary: 'The time of web to its first response, cold and warm, and its idle memory.',
    options: {},
    example: '',
  },
  'webhook-deliveries': {
    summary: 'Signed and recorded deliveries per second, and what one endpoint that hangs does to the others.',
    options: { deliveries: { default: 2000, description: 'Deliveries to each of ten endpoints.' } },
    example: '500',
  },
} as const satisfies Readonly<Record<string, Benchmark>>;

export type BenchmarkName = keyof typeof benchmarks;

/** The options that a benchmark is called with; prints its help or what is wrong with them, and exits. */
export function readBenchmark<Name extends BenchmarkName>(name: Name) {
  const { summary, options, example } = benchmarks[name];
  return readOptions<(typeof benchmarks)[Name]['options']>(summary, `npm run bench -- ${name}`, options, example);
}
