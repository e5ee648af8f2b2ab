import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { queueNames } from '#jobs/queues.ts';
import { freePort, onFreePort } from '#src/dev/embedded/free-port.ts';
import { startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { startEmbeddingsSimulator } from '#src/dev/simulators/embeddings/simulator.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import { serveStorefront } from '#src/dev/storefront/serve-storefront.ts';
import { Environment } from '#src/environment.ts';
import { handledEventTypes } from '#src/providers/stripe/events.ts';
import { runCli } from './run-cli.ts';
import { restartOnExit, type StackProcess, startProcess } from './start-process.ts';

export interface StackOptions {
  /**
   * `each`: a process for every kind of worker, as on dynos that scale separately; `all`: one for all; or some of the
   * Procfile.
   */
  readonly workers: 'each' | 'all' | readonly string[];
  /** Further variables of the processes: schedules, poll times, an existing PostgreSQL or Redis. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The port of the web process; the default is a free one. */
  readonly port?: number;
  /** The port of the storefront's pages; the default is a free one. */
  readonly storefrontPort?: number;
  /** Called with a message when each part is up, and with `restarts` when a process ended. */
  readonly report?: (message: string) => void;
  /** Whether a process that ends by itself is started again. */
  readonly restarts?: boolean;
  /** Whether its PostgreSQL commits to disk, as in production. */
  readonly durable?: boolean;
  /** How many emails can be read in its mailbox: the last 5,000, or so many. */
  readonly emailsStored?: number;
}

/** The whole service on one machine: PostgreSQL, Redis, simulators, web and workers, and one store with its pages. */
export interface Stack {
  readonly url: string;
  readonly storefrontUrl: string;
  readonly stripeUrl: string;
  readonly shippoUrl: string;
  readonly mailboxUrl: string;
  readonly redisUrl: string;
  readonly databaseUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly store: DemoStore;
  readonly processes: Map<string, StackProcess>;
  /** Start a process again after it was killed. */
  restart(name: string): Promise<void>;
  restartPostgres(): Promise<void>;
  stop(): Promise<void>;
}

/** The store of src/dev/demo-store.yaml and its keys. */
export interface DemoStore {
  readonly slug: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly stripeKey: string;
  readonly shippoKey: string;
}

export const demoStoreFile = fileURLToPath(new URL('../demo-store.yaml', import.meta.url));
const demoSlug = 'cedar-and-clay';

/** @param receiver where the demo store's own webhook endpoint is, and its secret. */
export async function startStack(receiver: WebhookReceiver, options: StackOptions): Promise<Stack> {
  const startOn = (port: number) => startOnPort(port, receiver, options);
  return options.port ? startOn(options.port) : (await onFreePort(startOn)).started;
}

interface WebhookReceiver {
  readonly url: string;
  readonly secret: string;
}

async function startOnPort(port: number, receiver: WebhookReceiver, options: StackOptions): Promise<Stack> {
  const report = options.report ?? (() => undefined);
  const { DATABASE_URL: givenDatabase, REDIS_URL: givenRedis } = options.environment ?? {};
  const [embedded, stripe, shippo, mailbox, embeddings, storefrontPort] = await Promise.all([
    startEmbedded({ postgres: !givenDatabase, redis: !givenRedis, durable: options.durable ?? false }),
    startStripeSimulator(),
    startShippoSimulator(),
    startMailbox({ storedMax: options.emailsStored }),
    startEmbeddingsSimulator(),
    options.storefrontPort ?? freePort(),
  ]);
  report('PostgreSQL, Redis and the simulators of Stripe, Shippo, mail and embeddings are running.');
  const databaseUrl = givenDatabase ?? embedded.databaseUrl ?? '';
  const redisUrl = givenRedis ?? embedded.redisUrl ?? '';
  const url = `http://127.0.0.1:${port}`;
  const storefrontUrl = `http://127.0.0.1:${storefrontPort}`;
  const parts = { databaseUrl, redisUrl, stripe, shippo, mailbox, embeddings, port, storefrontUrl, receiver };
  const environment = { ...environmentOf(parts), ...options.environment };
  const processes = new Map<string, StackProcess>();
  const simulators: { close(): Promise<void> }[] = [stripe, shippo, mailbox, embeddings];

  const stop = async () => {
    await Promise.all([...processes.values()].map((process) => process.stop()));
    await Promise.all(simulators.map((simulator) => simulator.close()));
    await embedded.stop();
  };
  const start = async (name: string) => {
    const process = startProcess(name, entryOf(name), environment);
    processes.set(name, process);
    await process.waitFor(name === 'web' ? 'listening' : 'working');
    return process;
  };
  const isDatabaseThere = () =>
    runCli(['migrate', '--status'], environment).then(
      () => true,
      () => false,
    );
  const restart = async (name: string) => {
    await (options.restarts ? restartOnExit(() => start(name), report, isDatabaseThere) : start(name));
  };

  try {
    await runCli(['migrate'], environment);
    const store = await applyStore(environment);
    report(`The schema is migrated and the store "${demoSlug}" is applied.`);
    await stripeControl(stripe.url).addWebhookEndpoint(environment.STRIPE_SECRET_KEY, {
      url: `${url}/api/webhooks/stripe/${demoSlug}`,
      secret: environment.STRIPE_WEBHOOK_SECRET,
      events: handledEventTypes,
    });
    await shippoControl(shippo.url).registerWebhook(environment.SHIPPO_API_KEY, {
      url: `${url}/api/webhooks/shippo/${demoSlug}?token=${environment.SHIPPO_WEBHOOK_TOKEN}`,
    });
    simulators.push(
      await serveStorefront({
        port: storefrontPort,
        settings: {
          url,
          slug: demoSlug,
          key: store.publishableKey,
          mailbox: mailbox.url,
          backstage: [
            { name: 'Mailbox', url: mailbox.url },
            { name: 'Operations', url: `${url}/ops` },
            { name: 'API', url: `${url}/docs` },
          ],
        },
        moveParcel: (number, status) => shippoControl(shippo.url).moveTrack(number, status),
      }),
    );
    const names = workersOf(options);
    await Promise.all(['web', ...names].map(restart));
    report(`Web and ${names.length === 1 ? 'one worker' : `${names.length} workers`} are running.`);
    return {
      url,
      storefrontUrl,
      store,
      environment,
      processes,
      restart,
      stop,
      stripeUrl: stripe.url,
      shippoUrl: shippo.url,
      mailboxUrl: mailbox.url,
      redisUrl,
      databaseUrl,
      restartPostgres:
        embedded.restartPostgres ??
        (() => Promise.reject(new Error('This PostgreSQL was not started here and cannot be restarted.'))),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function workersOf({ workers }: StackOptions): readonly string[] {
  if (workers === 'all') return ['worker'];
  return workers === 'each' ? ['worker-relay', ...queueNames.map((queue) => `worker-${queue}`)] : workers;
}

function entryOf(name: string): string {
  if (name === 'web') return 'src/server.ts';
  return name === 'worker' ? 'workers/all.ts' : `workers/${name.replace('worker-', '')}.ts`;
}

type Parts = {
  databaseUrl: string;
  redisUrl: string;
  stripe: { url: string };
  shippo: { url: string };
  mailbox: { smtpUrl: string };
  embeddings: { url: string };
  port: number;
  storefrontUrl: string;
  receiver: WebhookReceiver;
};

/** Secrets are generated each time, so that nothing in the repository is a secret. */
function environmentOf({
  databaseUrl,
  redisUrl,
  stripe,
  shippo,
  mailbox,
  embeddings,
  port,
  storefrontUrl,
  receiver,
}: Parts) {
  const random = () => randomBytes(24).toString('hex');
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '',
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/storefront/compiled', import.meta.url)),
    APP_MODE: 'test',
    LOCAL_MODE: '1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `demo:${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64'),
    SMTP_URL: mailbox.smtpUrl,
    MAIL_FROM: 'Storefront <hello@storefront.example>',
    STRIPE_API_BASE: stripe.url,
    SHIPPO_API_BASE: shippo.url,
    EMBEDDINGS_URL: embeddings.url,
    EMBEDDINGS_KEY: random(),
    STOREFRONT_URL: storefrontUrl,
    STRIPE_SECRET_KEY: `sk_test_${random()}`,
    STRIPE_PUBLISHABLE_KEY: `pk_test_${random()}`,
    STRIPE_WEBHOOK_SECRET: `whsec_${random()}`,
    SHIPPO_API_KEY: `shippo_test_${random()}`,
    SHIPPO_WEBHOOK_TOKEN: random(),
    EASYPOST_API_KEY: random(),
    ERP_WEBHOOK_URL: receiver.url,
    ERP_WEBHOOK_SECRET: receiver.secret,
  };
}

/** An existing store does not show its keys again: it gets new ones. */
async function applyStore(environment: Record<string, string>): Promise<DemoStore> {
  const apply = async (): Promise<{ name: string; value: string }[]> =>
    JSON.parse(await runCli(['apply', demoStoreFile, '--json'], environment)).keys;
  let keys = await apply();
  if (keys.length === 0) {
    for (const name of ['storefront', 'backend']) await runCli(['keys', 'revoke', demoSlug, name], environment);
    keys = await apply();
  }
  const keyNamed = (name: string) => keys.find((key) => key.name === name)?.value ?? '';
  return {
    slug: demoSlug,
    publishableKey: keyNamed('storefront'),
    secretKey: keyNamed('backend'),
    stripeKey: environment['STRIPE_SECRET_KEY'] ?? '',
    shippoKey: environment['SHIPPO_API_KEY'] ?? '',
  };
}

/** Variables that a local stack sets itself. It needs the log to see when its processes are running. */
const fixedVariables = new Set(['APP_MODE', 'LOCAL_MODE', 'HOST', 'PORT', 'DYNO', 'LOG_LEVEL']);

/** The documented variables that the shell sets; they override those of the stack. */
export function givenVariables(shell: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = Object.keys(Environment.properties).filter((name) => !fixedVariables.has(name));
  return Object.fromEntries(names.map((name) => [name, shell[name] ?? '']).filter(([, value]) => value !== ''));
}
