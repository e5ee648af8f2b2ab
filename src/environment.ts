import { type QueueName, queueNames, queues } from '#jobs/queues.ts';
import { durationPattern } from '#src/lib/duration.ts';
import { Type } from '#src/lib/schema.ts';

const duration = durationPattern;
const schedule = '^[0-9]+(ms|s|m|h|d)(,[0-9]+(ms|s|m|h|d))*$';
/** How a shell writes an encryption key with an id that no key had before. */
export const newEncryptionKey = '$(date +%F):$(openssl rand -base64 32)';
const base64Of32Bytes = '[A-Za-z0-9+/]{43}=';
const encryptionKey = `([A-Za-z0-9_-]+:${base64Of32Bytes}|[0-9a-f]{64})`;
const Flag = (options: object) => Type.Optional(Type.Enum(['1', '0'], { ...options }));
/** No message repeats a value that is `writeOnly`: it is a secret, or a URL that may hold one. */
const Secret = (options: object) => Type.String({ ...options, writeOnly: true });
const Password = (description: string) =>
  Secret({ minLength: 12, description: `${description} At least 12 characters.` });

/** Every environment variable. A test compares the table in src/cli/DEPLOYMENT.md with this. */
export const Environment = Type.Object({
  APP_MODE: Type.Enum(['test', 'live'], {
    examples: ['test'],
    description: 'The environment. Only API keys of this environment are accepted; both are equally strict.',
  }),
  LOCAL_MODE: Flag({
    description:
      'For development: allows http and loopback URLs and the schedules below, and listens on 127.0.0.1 only. ' +
      'Not allowed with APP_MODE=live.',
  }),
  HOST: Type.Optional(
    Type.String({ description: 'The IP address to listen on. Default 0.0.0.0; always 127.0.0.1 in local mode.' }),
  ),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'The port of the web process.' }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+/?$',
      examples: ['https://api.cedar.example'],
      description:
        'The public URL of this service, without a path. In local mode it defaults to the URL it listens on.',
    }),
  ),
  TRUSTED_PROXY_HOPS: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10,
      description: 'How many trusted proxies append to X-Forwarded-For. Default 0, or 1 on Heroku.',
    }),
  ),
  DYNO: Type.Optional(Type.String({ description: 'Set by Heroku.' })),
  HEROKU_APP_DEFAULT_DOMAIN_NAME: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9.-]+$',
      description: 'Set by Heroku where dyno metadata is enabled. `PUBLIC_URL` defaults to this domain.',
    }),
  ),
  DATABASE_URL: Secret({
    pattern: '^postgres(ql)?://',
    examples: ['postgres://user:password@host:5432/shop'],
    description:
      'PostgreSQL 15 or newer; `sslmode=no-verify` accepts a self-signed certificate, ' +
      'and `connect_timeout=10` waits 10 s for a connection instead of 5.',
  }),
  DATABASE_READ_URL: Type.Optional(
    Secret({
      pattern: '^postgres(ql)?://',
      examples: ['postgres://user:password@host:5432/shop'],
      description:
        "A read replica for search and the owner's lists. The primary is read while it is away or more than 5 s behind.",
    }),
  ),
  DATABASE_POOL_MAX: Type.Integer({ minimum: 1, maximum: 200, default: 5, description: 'Connections per process.' }),
  REDIS_URL: Secret({
    pattern: '^rediss?://',
    examples: ['redis://host:6379'],
    description: 'Redis 6.2 or newer, or Valkey. Several comma-separated nodes are a Redis Cluster.',
  }),
  ENCRYPTION_KEYS: Secret({
    pattern: `^${encryptionKey}(,${encryptionKey})*$`,
    examples: [newEncryptionKey],
    description:
      '`id:base64 of 32 bytes`, comma-separated, each id once. The first encrypts, all decrypt. ' +
      '64 hexadecimal digits without an id, as platforms generate them, are also a key.',
  }),
  KEY_PEPPER: Secret({
    pattern: `^(${base64Of32Bytes}|[0-9a-f]{64})$`,
    examples: ['$(openssl rand -base64 32)'],
    description: 'Base64 of 32 bytes, or 64 hexadecimal digits: the secret for hashing API keys and tokens.',
  }),
  OPS_USER: Type.Optional(Type.String({ minLength: 1, description: 'The user name for /ops.' })),
  OPS_PASSWORD: Type.Optional(Password('The password of OPS_USER.')),
  METRICS_TOKEN: Type.Optional(
    Password('The Bearer token for /metrics. Without it, /metrics requires the ops password.'),
  ),
  SMTP_URL: Secret({
    pattern: '^smtps?://',
    examples: ['smtps://user:password@host:465'],
    description: 'The mail server. `smtp:` uses TLS if the server offers it, with `?requireTLS=true` always.',
  }),
  MAIL_FROM: Type.String({
    minLength: 3,
    examples: ['Cedar <hello@cedar.example>'],
    description: 'The default sender of emails, for stores without their own.',
  }),
  STRIPE_API_BASE: Type.Optional(
    Secret({
      pattern: '^https?://',
      examples: ['https://stripe.example'],
      description: 'Overrides the URL of the Stripe API.',
    }),
  ),
  SHIPPO_API_BASE: Type.Optional(
    Secret({
      pattern: '^https?://',
      examples: ['https://shippo.example'],
      description: 'Overrides the URL of the Shippo API.',
    }),
  ),
  EMBEDDINGS_URL: Type.Optional(
    Secret({
      pattern: '^https?://',
      examples: ['https://embeddings.example/v1'],
      description: 'An OpenAI-compatible embeddings endpoint, for semantic search.',
    }),
  ),
  EMBEDDINGS_KEY: Type.Optional(Secret({ description: 'The API key for EMBEDDINGS_URL.' })),
  EMBEDDINGS_MODEL: Type.Optional(Type.String({ description: 'The embedding model. Default text-embedding-3-small.' })),
  ...workerConcurrencies(),
  RATE_LIMIT_SCALE: Type.Number({ exclusiveMinimum: 0, default: 1, description: 'Multiplies every rate limit.' }),
  LOG_LEVEL: Type.Enum(['debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'Minimum log level.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Secret({
      pattern: '^https?://',
      examples: ['https://collector.example'],
      description: 'The OpenTelemetry collector for traces; `OTEL_EXPORTER_OTLP_HEADERS` sets request headers.',
    }),
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'The share of traces to send.',
  }),
  WEBHOOK_RETRY_SCHEDULE: Type.String({
    pattern: schedule,
    default: '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h',
    examples: ['1s,5s'],
    description: 'Local mode: the delay before each attempt of a webhook delivery.',
  }),
  LABEL_RETRY_SCHEDULE: Type.String({
    pattern: schedule,
    default: '0s,2m,10m,30m,90m,4h',
    examples: ['1s,5s'],
    description: 'Local mode: the delay before each attempt to purchase a label.',
  }),
  LABEL_LOOKUP_GRACE: Type.String({
    pattern: duration,
    default: '2m',
    examples: ['30s'],
    description: 'Local mode: the time between two lookups of a label that may have been purchased.',
  }),
  LABEL_BUY_TIMEOUT: Type.String({
    pattern: duration,
    default: '60s',
    examples: ['30s'],
    description: 'Local mode: how long a label purchase may take.',
  }),
  BREAKER_OPEN: Type.String({
    pattern: duration,
    default: '30s',
    examples: ['30s'],
    description: 'Local mode: how long a circuit breaker for a provider stays open.',
  }),
  PAYMENT_POLL_SCHEDULE: Type.String({
    pattern: schedule,
    default: '2m,5m,15m,60m',
    examples: ['1s,5s'],
    description: 'Local mode: the ages at which a pending order is looked up at the payment provider.',
  }),
  SWEEP_INTERVAL: Type.String({
    pattern: duration,
    default: '5m',
    examples: ['30s'],
    description: 'Local mode: the interval of the sweeps.',
  }),
});

/** The variable for the number of concurrent jobs of this queue in one process. */
export function concurrencyVariable(queue: QueueName): string {
  return `WORKER_CONCURRENCY_${queue.toUpperCase()}`;
}

function workerConcurrencies() {
  return Object.fromEntries(
    queueNames.map((queue) => [
      concurrencyVariable(queue),
      Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 500,
          description: `Concurrent jobs of the queue ${queue} per process. Default ${queues[queue].concurrency}.`,
        }),
      ),
    ]),
  );
}
