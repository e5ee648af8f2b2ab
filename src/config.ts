import { type QueueName, queueNames, queues } from '#jobs/queues.ts';
import { parsePostgresUrl } from '#src/database/postgres-url.ts';
import type { Settings } from '#src/domain/settings.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { parseDuration, parseSchedule } from '#src/lib/duration.ts';
import { isEmailAddress, readSender } from '#src/lib/email-address.ts';
import { type Static, type TObject, Type } from '#src/lib/schema.ts';
import { issuesOfText } from '#src/lib/validation.ts';
import { concurrencyVariable, Environment, newEncryptionKey } from './environment.ts';

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
  readonly tracing: { readonly endpoint: string; readonly share: number } | undefined;
}

/** Everything that is wrong with an environment, a line each: the variable, its problem, and what it is for. */
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
 * @throws ConfigError with the whole list of what is missing or wrong. No secret is repeated in it.
 */
export function readConfig(environment: Given = process.env): Config {
  const { given, problems } = readVariables(Environment, environment);
  const env = given as unknown as Static<typeof Environment>;
  rejectIfAny([...problems, ...crossChecks(env)], environment);

  const localMode = env.LOCAL_MODE === '1';
  const host = localMode ? '127.0.0.1' : (env.HOST ?? '0.0.0.0');
  return Object.freeze({
    settings: Object.freeze({
      appMode: env.APP_MODE,
      localMode,
      publicUrl: (publicUrlOf(env) ?? `http://${host}:${env.PORT}`).replace(/\/$/, ''),
      mailFrom: env.MAIL_FROM,
      keyPepper: bytesOf(env.KEY_PEPPER),
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
    tracing: env.OTEL_EXPORTER_OTLP_ENDPOINT
      ? { endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT, share: env.OTEL_TRACES_SAMPLER_ARG }
      : undefined,
  });
}

/**
 * Read where the database is: all that the release phase needs, before anything else has to be set.
 * @throws ConfigError
 */
export function readDatabaseUrl(environment: Given = process.env): string {
  const { given, problems } = readVariables(Type.Pick(Environment, ['DATABASE_URL']), environment);
  rejectIfAny([...problems, ...urlProblems(given)], environment);
  return String(given['DATABASE_URL']);
}

type Given = Record<string, string | undefined>;
type VariableName = keyof Static<typeof Environment>;

interface Problem {
  readonly name: string;
  /** How the sentence goes on that begins with the name. */
  readonly detail: string;
}

/** Of several problems of one variable, the first explains the others. */
function rejectIfAny(problems: readonly Problem[], environment: Given): void {
  const names = problems.map(({ name }) => name);
  const first = problems.filter(({ name }, index) => names.indexOf(name) === index);
  if (first.length > 0) throw new ConfigError(first.map((problem) => explain(problem, environment)));
}

/**
 * The variables that a schema names, with its defaults, and what is wrong with them. An empty one is not set. White space
 * around a value is no part of it: a file from which a platform reads a secret ends with a new line.
 */
function readVariables(schema: TObject, environment: Given): { given: Record<string, unknown>; problems: Problem[] } {
  const given = Object.fromEntries(
    Object.keys(schema.properties)
      .map((name) => [name, environment[name]?.trim()] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const issues = issuesOfText(schema, given, { max: Infinity });
  return { given, problems: issues.map(({ path, detail }) => ({ name: path.slice(1), detail })) };
}

function explain({ name, detail }: Problem, environment: Given): string {
  const { description, examples: [example] = [], writeOnly } = Environment.properties[name as VariableName] as Variable;
  const value = environment[name];
  if (!value) return `${name} ${detail}${example ? `, such as ${example}` : ''}. ${description}`;
  const shown = JSON.stringify(value.replace(/^([^:]*:(?:\/\/)?).*@/s, '$1…@'));
  return `${name} ${detail}${writeOnly ? '' : `, not ${shown}`}. ${description}`;
}

interface Variable {
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly writeOnly?: boolean;
}

const databaseUrls = ['DATABASE_URL', 'DATABASE_READ_URL'] as const;
const urlsWithCredentials = [...databaseUrls, 'REDIS_URL', 'SMTP_URL'] as const;
const plainUrls = [
  'PUBLIC_URL',
  'STRIPE_API_BASE',
  'SHIPPO_API_BASE',
  'EMBEDDINGS_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

function urlProblems(given: Readonly<Record<string, unknown>>): Problem[] {
  const isBroken = (name: string) => {
    const text = String(given[name]);
    return !(name === 'REDIS_URL' ? redisNodesOf(text) : [text]).every(isReadableUrl);
  };
  return [
    ...databaseUrls
      .filter((name) => given[name] !== undefined && hasSeveralHosts(String(given[name])))
      .map((name) => ({ name, detail: 'must name one host, such as a DNS name or a proxy that leads to the primary' })),
    ...urlsWithCredentials
      .filter((name) => given[name] !== undefined && isBroken(name))
      .map((name) => ({
        name,
        detail: 'cannot be read: percent-encode special characters (# is %23), and check host and port',
      })),
    ...(hasOtherDatabases(String(given['REDIS_URL'] ?? ''))
      ? [{ name: 'REDIS_URL', detail: 'must name its database by a number, as in redis://host:6379/3, or none' }]
      : []),
    ...plainUrls
      .filter((name) => given[name] !== undefined && !URL.canParse(String(given[name])))
      .map((name) => ({ name, detail: 'must be a URL' })),
    ...databaseUrls.flatMap((name) => {
      const failure = given[name] === undefined ? undefined : fileFailureOf(String(given[name]));
      return failure ? [{ name, detail: `names a file that cannot be read (${failure})` }] : [];
    }),
  ];
}

/** The further nodes of a Redis Cluster may be a host and port alone. */
const redisNodesOf = (url: string): string[] =>
  url.split(',').map((node) => (node.includes('://') ? node.trim() : `redis://${node.trim()}`));

const hasOtherDatabases = (redisUrl: string): boolean =>
  redisNodesOf(redisUrl).some((node) => !/^\/?[0-9]*$/.test(URL.parse(node)?.pathname ?? ''));

/** libpq connects to the first of several hosts that responds; the driver takes them for one name. */
function hasSeveralHosts(url: string): boolean {
  const [hosts = ''] = url.replace(/^[^/]*\/\/([^/?#]*@)?/, '').split(/[/?#]/);
  return hosts.includes(',') || /[?&]host=[^?&,%]*(,|%2c)/i.test(url);
}

/** Why a certificate or key that a URL of PostgreSQL names cannot be read. */
function fileFailureOf(url: string): string | undefined {
  try {
    parsePostgresUrl(url);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return error.message;
  }
  return undefined;
}

/** An unencoded `#`, `/` or `?` in a password ends the host before it; a stray `%` cannot be decoded. */
function isReadableUrl(text: string): boolean {
  // PostgreSQL's URLs may leave the host out.
  const url = URL.parse(text.replace('@/', '@localhost/'));
  if (!url || url.hash) return false;
  const { username, password, pathname, search } = url;
  const hasCutPassword = !username && !password && `${pathname}${search}`.includes('@');
  // The name of a database may have a stray one.
  const name = pathname.replace(/%(?![0-9a-f]{2})/gi, '');
  return !hasCutPassword && [username, password, name].every(isDecodable);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const localOnly = [
  'WEBHOOK_RETRY_SCHEDULE',
  'LABEL_RETRY_SCHEDULE',
  'LABEL_LOOKUP_GRACE',
  'LABEL_BUY_TIMEOUT',
  'BREAKER_OPEN',
  'PAYMENT_POLL_SCHEDULE',
  'SWEEP_INTERVAL',
] as const;

function crossChecks(env: Partial<Static<typeof Environment>>): Problem[] {
  const local = env.LOCAL_MODE === '1';
  const problems = urlProblems(env);
  const rejectIf = (wrong: boolean, name: VariableName, detail: string) => wrong && problems.push({ name, detail });

  rejectIf(local && env.APP_MODE === 'live', 'LOCAL_MODE', 'must be 0 with APP_MODE=live');
  rejectIf(!local && !publicUrlOf(env), 'PUBLIC_URL', 'is required outside local mode');
  const publicUrl = URL.parse(env.PUBLIC_URL ?? '');
  rejectIf(Boolean(publicUrl?.username || publicUrl?.password), 'PUBLIC_URL', 'must not contain a user or password');
  rejectIf(!local && env.PUBLIC_URL?.startsWith('http:') === true, 'PUBLIC_URL', 'must be https outside local mode');
  for (const [name, other] of [
    ['OPS_USER', 'OPS_PASSWORD'],
    ['OPS_PASSWORD', 'OPS_USER'],
  ] as const) {
    rejectIf(!local && !env[name], name, 'is required outside local mode');
    rejectIf(!env[name] && Boolean(env[other]), name, `is required with ${other}`);
  }
  rejectIf(
    !isEmailAddress(readSender(env.MAIL_FROM ?? '').address),
    'MAIL_FROM',
    'must be an email address, or "Name <email>"',
  );
  const keyIds = parseKeys(env.ENCRYPTION_KEYS ?? '').map(([id]) => id);
  const repeatedId = keyIds.find((id, index) => keyIds.indexOf(id) < index);
  rejectIf(
    repeatedId !== undefined,
    'ENCRYPTION_KEYS',
    `has several keys with the id ${repeatedId}: give each an id that no key had before, such as ${newEncryptionKey}`,
  );
  for (const name of ['STRIPE_API_BASE', 'SHIPPO_API_BASE', 'EMBEDDINGS_URL'] as const) {
    rejectIf(!local && !isSafeTarget(env[name]), name, 'must be an https or loopback URL outside local mode');
  }
  for (const name of localOnly) {
    const { default: fallback } = Environment.properties[name] as { default?: string };
    rejectIf(!local && (env[name] ?? fallback) !== fallback, name, `must be ${fallback} outside local mode`);
  }
  return problems;
}

function isSafeTarget(address: string | undefined): boolean {
  if (!address || !URL.canParse(address)) return true;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

const publicUrlOf = ({
  PUBLIC_URL: given,
  HEROKU_APP_DEFAULT_DOMAIN_NAME: domain,
}: Partial<Static<typeof Environment>>): string | undefined => given ?? (domain && `https://${domain}`);

/** A key without an id is named after its hash, so that it has the same id wherever it stands in the list. */
function parseKeys(written: string): [string, Buffer][] {
  return written.split(',').map((pair) => {
    const [key = '', id = sha256(key).toString('hex').slice(0, 8)] = pair.split(':').toReversed();
    return [id, bytesOf(key)];
  });
}

const bytesOf = (secret: string): Buffer => Buffer.from(secret, /^[0-9a-f]{64}$/.test(secret) ? 'hex' : 'base64');

function readConcurrencies(given: Record<string, unknown>): Record<QueueName, number> {
  const entries = queueNames.map((queue) => [
    queue,
    Number(given[concurrencyVariable(queue)] ?? queues[queue].concurrency),
  ]);
  return Object.fromEntries(entries) as Record<QueueName, number>;
}
