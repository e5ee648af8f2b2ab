import { type QueueName, queueNames, queues } from '#jobs/queues.ts';
import type { Settings } from '#src/domain/settings.ts';
import { parseDuration, parseSchedule } from '#src/lib/duration.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { issuesOfText } from '#src/lib/validation.ts';

const duration = '^[0-9]+(ms|s|m|h|d)$';
const schedule = '^[0-9]+(ms|s|m|h|d)(,[0-9]+(ms|s|m|h|d))*$';
const Flag = (options: object) => Type.Enum(['1', '0', ''], { default: '', ...options });
const Secret = (options: object) => Type.String({ minLength: 12, ...options });

/** Every variable that the processes read. The README's table and a test are made of this. */
export const Environment = Type.Object({
  APP_MODE: Type.Enum(['test', 'live'], { description: 'The environment: its kind of keys alone is accepted. Both are equally strict.' }),
  LOCAL_MODE: Flag({ description: 'A developer\'s machine: allows http and loopback targets and the schedules below, and binds to 127.0.0.1. Refused with APP_MODE=live.' }),
  HOST: Type.Optional(Type.String({ description: 'The address to listen on. Default 0.0.0.0; always 127.0.0.1 in local mode.' })),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'The port of the web process.' }),
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://[^/]+(/.*)?$', description: 'Where this service is reached from outside. In local mode it defaults to its own address.' })),
  TRUSTED_PROXY_HOPS: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, description: 'How many proxies append to X-Forwarded-For: the client is that many entries from its right. Default 0, or 1 on a dyno.' })),
  DYNO: Type.Optional(Type.String({ description: 'Set by Heroku.' })),
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://', description: 'PostgreSQL 15 or newer; `sslmode=no-verify` accepts a self-signed certificate.' }),
  DATABASE_READ_URL: Type.Optional(Type.String({ pattern: '^postgres(ql)?://', description: 'A read replica, for search and the owner\'s lists.' })),
  DATABASE_POOL_MAX: Type.Integer({ minimum: 1, maximum: 200, default: 5, description: 'Connections per process.' }),
  REDIS_URL: Type.String({ pattern: '^rediss?://', description: 'Redis 6.2 or newer, or Valkey. Several comma-separated nodes are a Redis Cluster.' }),
  ENCRYPTION_KEYS: Type.String({ pattern: '^[A-Za-z0-9_-]+:[A-Za-z0-9+/=]{44}(,[A-Za-z0-9_-]+:[A-Za-z0-9+/=]{44})*$', description: '`id:base64 of 32 bytes`, comma-separated. The first seals, all open.' }),
  KEY_PEPPER: Type.String({ pattern: '^[A-Za-z0-9+/=]{44}$', description: 'base64 of 32 bytes: keys the hashes of API keys and tokens.' }),
  OPS_USER: Type.Optional(Type.String({ minLength: 1, description: 'Who may open /ops. Only local mode may leave it out.' })),
  OPS_PASSWORD: Type.Optional(Secret({ description: 'The password of OPS_USER.' })),
  METRICS_TOKEN: Type.Optional(Secret({ description: 'The Bearer token of /metrics; without it the ops password is asked for.' })),
  SMTP_URL: Type.String({ pattern: '^smtps?://', description: 'The mail server.' }),
  MAIL_FROM: Type.String({ minLength: 3, description: 'The sender of mails of stores that name none.' }),
  STRIPE_API_BASE: Type.Optional(Type.String({ pattern: '^https?://', description: 'Another address of the Stripe API.' })),
  SHIPPO_API_BASE: Type.Optional(Type.String({ pattern: '^https?://', description: 'Another address of the Shippo API.' })),
  EMBEDDINGS_URL: Type.Optional(Type.String({ pattern: '^https?://', description: 'An OpenAI-compatible embeddings endpoint, for semantic search.' })),
  EMBEDDINGS_KEY: Type.Optional(Type.String({ description: 'Its key.' })),
  EMBEDDINGS_MODEL: Type.Optional(Type.String({ description: 'Its model.' })),
  ...workerConcurrencies(),
  RATE_LIMIT_SCALE: Type.Number({ exclusiveMinimum: 0, default: 1, description: 'Multiplies every rate limit.' }),
  LOG_LEVEL: Type.Enum(['debug', 'info', 'warn', 'error', 'silent'], { default: 'info', description: 'The least important line that is written.' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://', description: 'Where traces are sent.' })),
  WEBHOOK_RETRY_SCHEDULE: Type.String({ pattern: schedule, default: '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h', description: 'Local mode: the wait before each try of a webhook delivery.' }),
  LABEL_RETRY_SCHEDULE: Type.String({ pattern: schedule, default: '0s,2m,10m,30m,90m,4h', description: 'Local mode: the wait before each try of a label.' }),
  LABEL_LOOKUP_GRACE: Type.String({ pattern: duration, default: '2m', description: 'Local mode: the time between two looks for a label that may have been bought.' }),
  LABEL_BUY_TIMEOUT: Type.String({ pattern: duration, default: '60s', description: 'Local mode: how long a label purchase may take.' }),
  BREAKER_OPEN: Type.String({ pattern: duration, default: '30s', description: 'Local mode: how long a breaker around a provider stays open.' }),
  PAYMENT_POLL_SCHEDULE: Type.String({ pattern: schedule, default: '2m,5m,15m,60m', description: 'Local mode: when a pending order is looked up, since it was made.' }),
  SWEEP_INTERVAL: Type.String({ pattern: duration, default: '5m', description: 'Local mode: how often the sweeps run.' }),
});

/** What a process needs to know of where it runs. */
export interface Config {
  readonly settings: Settings;
  readonly host: string;
  readonly port: number;
  readonly trustedProxyHops: number;
  readonly databaseUrl: string;
  readonly databaseReadUrl: string | undefined;
  readonly databasePoolMax: number;
  readonly redisUrl: string;
  readonly encryptionKeys: readonly (readonly [id: string, key: Buffer])[];
  readonly ops: { readonly user: string; readonly password: string } | undefined;
  readonly metricsToken: string | undefined;
  readonly smtpUrl: string;
  readonly stripeApiBase: string | undefined;
  readonly shippoApiBase: string | undefined;
  readonly embeddings: { readonly url: string; readonly key: string | undefined; readonly model: string } | undefined;
  readonly concurrency: Readonly<Record<QueueName, number>>;
  readonly logLevel: Static<typeof Environment>['LOG_LEVEL'];
  readonly traceEndpoint: string | undefined;
}

/** Everything that is wrong with an environment, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The environment is not fit to start with:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/**
 * Read the environment.
 * @throws ConfigError with the whole list of what is missing or wrong. No value is repeated in it: some are secret.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.keys(Environment.properties)
      .map((name) => [name, environment[name]] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const issues = issuesOfText(Environment, given).map(({ path, detail }) => `${path.slice(1)} ${detail}`);
  const env = given as unknown as Static<typeof Environment>;
  const problems = issues.length > 0 ? [...issues, ...crossChecks(env)] : crossChecks(env);
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);

  const localMode = env.LOCAL_MODE === '1';
  const host = localMode ? '127.0.0.1' : (env.HOST ?? '0.0.0.0');
  return Object.freeze({
    settings: Object.freeze({
      appMode: env.APP_MODE,
      localMode,
      publicUrl: (env.PUBLIC_URL ?? `http://${host}:${env.PORT}`).replace(/\/$/, ''),
      mailFrom: env.MAIL_FROM,
      keyPepper: Buffer.from(env.KEY_PEPPER, 'base64'),
      rateLimitScale: env.RATE_LIMIT_SCALE,
      webhookRetryScheduleMs: parseSchedule(env.WEBHOOK_RETRY_SCHEDULE) ?? [],
      labelRetryScheduleMs: parseSchedule(env.LABEL_RETRY_SCHEDULE) ?? [],
      labelLookupGraceMs: parseDuration(env.LABEL_LOOKUP_GRACE) ?? 0,
      labelBuyTimeoutMs: parseDuration(env.LABEL_BUY_TIMEOUT) ?? 0,
      breakerOpenMs: parseDuration(env.BREAKER_OPEN) ?? 0,
      paymentPollScheduleMs: parseSchedule(env.PAYMENT_POLL_SCHEDULE) ?? [],
      sweepIntervalMs: parseDuration(env.SWEEP_INTERVAL) ?? 0,
    }),
    host,
    port: env.PORT,
    trustedProxyHops: env.TRUSTED_PROXY_HOPS ?? (env.DYNO ? 1 : 0),
    databaseUrl: env.DATABASE_URL,
    databaseReadUrl: env.DATABASE_READ_URL,
    databasePoolMax: env.DATABASE_POOL_MAX,
    redisUrl: env.REDIS_URL,
    encryptionKeys: parseKeys(env.ENCRYPTION_KEYS),
    ops: env.OPS_USER && env.OPS_PASSWORD ? { user: env.OPS_USER, password: env.OPS_PASSWORD } : undefined,
    metricsToken: env.METRICS_TOKEN,
    smtpUrl: env.SMTP_URL,
    stripeApiBase: env.STRIPE_API_BASE,
    shippoApiBase: env.SHIPPO_API_BASE,
    embeddings: env.EMBEDDINGS_URL
      ? { url: env.EMBEDDINGS_URL, key: env.EMBEDDINGS_KEY, model: env.EMBEDDINGS_MODEL ?? 'text-embedding-3-small' }
      : undefined,
    concurrency: readConcurrencies(given),
    logLevel: env.LOG_LEVEL,
    traceEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
  });
}

const localOnly = [
  'WEBHOOK_RETRY_SCHEDULE', 'LABEL_RETRY_SCHEDULE', 'LABEL_LOOKUP_GRACE', 'LABEL_BUY_TIMEOUT', 'BREAKER_OPEN',
  'PAYMENT_POLL_SCHEDULE', 'SWEEP_INTERVAL',
] as const;

function crossChecks(env: Partial<Static<typeof Environment>>): string[] {
  const local = env.LOCAL_MODE === '1';
  const problems: string[] = [];
  const refuse = (wrong: boolean, sentence: string) => wrong && problems.push(sentence);

  refuse(local && env.APP_MODE === 'live', 'LOCAL_MODE is refused with APP_MODE=live');
  refuse(!local && !env.PUBLIC_URL, 'PUBLIC_URL is required outside local mode');
  refuse(!local && env.PUBLIC_URL?.startsWith('http:') === true, 'PUBLIC_URL must be https outside local mode');
  refuse(!local && !(env.OPS_USER && env.OPS_PASSWORD), 'OPS_USER and OPS_PASSWORD are required outside local mode');
  refuse(Boolean(env.OPS_USER) !== Boolean(env.OPS_PASSWORD), 'OPS_USER and OPS_PASSWORD go together');
  for (const name of ['STRIPE_API_BASE', 'SHIPPO_API_BASE', 'EMBEDDINGS_URL'] as const) {
    refuse(!local && !isSafeTarget(env[name]), `${name} must be https or a loopback address outside local mode`);
  }
  for (const name of localOnly) {
    const { default: fallback } = Environment.properties[name] as { default?: string };
    refuse(!local && (env[name] ?? fallback) !== fallback, `${name} is for local mode only`);
  }
  return problems;
}

function isSafeTarget(address: string | undefined): boolean {
  if (!address || !URL.canParse(address)) return true;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

function parseKeys(written: string): [string, Buffer][] {
  return written.split(',').map((pair) => {
    const [id = '', key = ''] = pair.split(':');
    return [id, Buffer.from(key, 'base64')];
  });
}

const concurrencyVariable = (queue: QueueName) => `WORKER_CONCURRENCY_${queue.toUpperCase()}`;

function workerConcurrencies() {
  return Object.fromEntries(
    queueNames.map((queue) => [
      concurrencyVariable(queue),
      Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: `Jobs of ${queue} that one process works at once. Default ${queues[queue].concurrency}.` })),
    ]),
  );
}

function readConcurrencies(given: Record<string, unknown>): Record<QueueName, number> {
  const entries = queueNames.map((queue) => [queue, Number(given[concurrencyVariable(queue)] ?? queues[queue].concurrency)]);
  return Object.fromEntries(entries) as Record<QueueName, number>;
}
