import { type Config, ConfigError } from '#src/config.ts';
import { createDatabaseClock } from '#src/database/database-clock.ts';
import { openDatabase } from '#src/database/open-database.ts';
import { throwUnfit } from '#src/database/prove-database.ts';
import { runOnPlatformTables } from '#src/database/transact.ts';
import type { Actor, Context, JobAttempt, PlatformContext } from '#src/domain/context.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import {
  countKeys,
  createKeyDirectory,
  createTenantDirectory,
  type KeyDirectory,
  readSealingKeys,
  type TenantDirectory,
} from '#src/domain/tenants/index.ts';
import { entities } from '#src/entities.ts';
import type { Clock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { notFound } from '#src/lib/errors.ts';
import { createKeyring } from '#src/lib/keyring.ts';
import type { Log } from '#src/lib/log.ts';
import type { Execute } from '#src/outbox/job-state.ts';
import { createCache } from '#src/platform/cache.ts';
import { createLogger } from '#src/platform/logger.ts';
import { createMetrics, type Metrics } from '#src/platform/metrics.ts';
import { createOutboundHttp } from '#src/platform/outbound-http.ts';
import { connectRedis, type RedisConnection } from '#src/platform/redis.ts';
import { createSharedMetrics, type SharedMetrics } from '#src/platform/shared-metrics.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createPorts } from '#src/providers/ports.ts';

/** Everything a process is made of: configuration joined to what it names. Built once, closed once. */
export interface Services {
  readonly config: Config;
  /** One time for all processes, from `startClock` on. */
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** What all processes counted. A process that is to be counted with them starts it. */
  readonly sharedMetrics: SharedMetrics;
  readonly tenants: TenantDirectory;
  readonly keys: KeyDirectory;
  /** The process's one shared connection. Commands fail at once while Redis is away. */
  readonly redis: RedisConnection;
  readonly wakeChannel: string;
  readonly timeouts: Timeouts;
  /** Receives every response that does not match its documentation. Only used by tests. */
  readonly checkResponses: ((drift: string) => void) | undefined;
  /** Run a statement on the platform's own tables. */
  readonly execute: Execute;
  /** The same on a connection that nothing else uses. */
  readonly executeApart: Execute;
  /**
   * Reject an environment whose secrets are not those with which the stores were made.
   * @throws ConfigError
   */
  proveSecrets(): Promise<void>;
  /** Set the clock by PostgreSQL's, and keep it set. Must be done before any work. */
  startClock(): Promise<void>;
  /** A context that belongs to no tenant. */
  context(parts?: ContextParts): PlatformContext;
  /** The tenant with this id. Throws DomainError when it is gone. */
  tenantOf(id: string | null): Promise<Context['tenant']>;
  /** A further Redis connection, for what waits on it: a worker, a subscriber. */
  connectBlocking(): RedisConnection;
  /** From the first signal to stop on, `/readyz` says so and no new work starts. */
  beginClosing(): void;
  isClosing(): boolean;
  close(): Promise<void>;
}

export interface ContextParts {
  readonly actor?: Actor;
  readonly signal?: AbortSignal;
  readonly attempt?: JobAttempt;
  readonly readTimeoutMs?: number;
}

/** How long this process waits for others before it goes on without them. */
export interface Timeouts {
  /** Until Redis has counted a request; afterwards this process counts by itself. */
  readonly limitMs: number;
  /** Until PostgreSQL has read what a request needs. Whoever waits longer has left. */
  readonly readMs: number;
  /** Until PostgreSQL has read how things stand: Prometheus gives up a scrape after ten seconds. */
  readonly scrapeMs: number;
}

/** What tests put in place of the real thing. */
export interface Replacements {
  readonly clock?: Clock;
  /** A machine's clock that may be wrong: it is corrected as the real one is. */
  readonly machineClock?: Clock;
  readonly log?: Log;
  readonly ports?: Partial<Ports>;
  readonly timeouts?: Timeouts;
  readonly checkResponses?: (drift: string) => void;
}

const system: Actor = { kind: 'system', id: 'system' };
const wakeChannel = 'outbox';
const defaultTimeouts: Timeouts = { limitMs: 500, readMs: seconds(2), scrapeMs: seconds(5) };
/** Silences in a row after which a provider is left alone for a while. */
const breakerFailures = 5;

export async function createServices(
  config: Config,
  processName: string,
  replacements: Replacements = {},
): Promise<Services> {
  const tracing =
    config.tracing &&
    (await import('#src/platform/tracing.ts')).startTracing({ ...config.tracing, process: processName });
  const log = replacements.log ?? createLogger({ level: config.logLevel, process: processName });
  const connections = await openConnections(config, processName, log);
  const { redis, database, connectBlocking } = connections;
  const { executeApart } = database;
  const databaseClock = createDatabaseClock({ execute: executeApart, log, machineClock: replacements.machineClock });
  const clock = replacements.clock ?? databaseClock;
  const { ports, metrics, sharedMetrics } = createCountedPorts(
    config,
    { process: processName, log, clock, redis },
    replacements.ports,
  );
  const keyring = createKeyring(config.encryptionKeys);
  const stopping = new AbortController();

  const context = (parts: ContextParts = {}): PlatformContext => ({
    database,
    clock,
    log,
    keyring,
    ports,
    settings: config.settings,
    stopping: stopping.signal,
    actor: system,
    ...parts,
  });
  const tenants = createTenantDirectory(context());
  // A first connection that fails is tried again by itself; stores are open meanwhile.
  redis.connect().catch(() => undefined);

  return {
    config,
    timeouts: replacements.timeouts ?? defaultTimeouts,
    clock,
    log,
    tenants,
    redis,
    wakeChannel,
    context,
    checkResponses: replacements.checkResponses,
    proveSecrets: () => rejectOtherSecrets(context()).catch(throwUnfit),
    startClock: () => databaseClock.start().catch(throwUnfit),
    metrics,
    sharedMetrics,
    keys: createKeyDirectory(context()),
    execute: (statement) => runOnPlatformTables(context(), statement),
    executeApart,
    async tenantOf(id) {
      const tenant = id ? await tenants.byId(id) : undefined;
      if (!tenant) throw notFound('tenant');
      return tenant;
    },
    connectBlocking,
    beginClosing() {
      stopping.abort();
    },
    isClosing: () => stopping.signal.aborted,
    async close() {
      databaseClock.stop();
      await sharedMetrics.close();
      // An unavailable collector must not keep a process from stopping.
      await tracing?.close().catch((error: unknown) => log.warn({ err: error }, 'the last spans were not sent'));
      connections.disconnectRedis();
      ports.mailer.close?.();
      await ports.http.close?.();
      await ports.embedder?.close?.();
      await database.close();
    },
  };
}

/** PostgreSQL, and Redis with the further connections of what waits on it. */
async function openConnections(config: Config, processName: string, log: Log) {
  const redis = connectRedis(config.redisUrl, { blocking: false, log });
  const blocking: RedisConnection[] = [];
  const database = await openDatabase({
    url: config.databaseUrl,
    readUrl: config.databaseReadUrl,
    poolMax: config.databasePoolMax,
    applicationName: `storefront-${processName}`,
    entities,
    log,
    wakeRelay: coalesce(() => redis.publish(wakeChannel, '1')),
  });
  return {
    redis,
    database,
    connectBlocking(): RedisConnection {
      const connection = connectRedis(config.redisUrl, { blocking: true, log });
      blocking.push(connection);
      return connection;
    },
    disconnectRedis() {
      for (const connection of [...blocking, redis]) connection.disconnect();
    },
  };
}

/** The ports to the outside world, and the metrics that count what becomes of their calls. */
function createCountedPorts(
  config: Config,
  given: { process: string; log: Log; clock: Clock; redis: RedisConnection },
  replaced: Partial<Ports> = {},
) {
  const metrics = createMetrics();
  const breaker = new CircuitBreaker({ openMs: config.settings.breakerOpenMs, failures: breakerFailures });
  const countMailAttempt = (outcome: string) => metrics.count('mail_attempts', { outcome });
  const ports: Ports = {
    ...createPorts(config, { log: given.log, breaker, countMailAttempt }),
    cache: createCache(given.redis, given.clock),
    http: createOutboundHttp(config.settings),
    ...replaced,
  };
  const sharedMetrics = createSharedMetrics({ ...given, metrics, openCircuits: () => breaker.openByProvider() });
  return { ports, metrics, sharedMetrics };
}

const restoreKey =
  'add that key again, after the first one. If it is lost, give the stores new secrets with ' +
  'tenants rotate-secret, then apply.';

/**
 * With other secrets no store can sell, and jobs fail that an operator then has to retry one by one. Where some stores
 * can, they must not wait for the others.
 */
async function rejectOtherSecrets(ctx: PlatformContext): Promise<void> {
  const keys = await readSealingKeys(ctx);
  const problems = keys
    .filter(({ opens }) => !opens)
    .map(({ keyId, stores, isKnown }) => {
      const sealed = `the secrets of ${stores === 1 ? 'a store' : `${stores} stores`} are encrypted`;
      return isKnown
        ? `ENCRYPTION_KEYS has another key as ${keyId} than the one with which ${sealed}: ${restoreKey}`
        : `ENCRYPTION_KEYS lacks the key ${keyId}, with which ${sealed}: ${restoreKey}`;
    });
  const { keys: hashed, keysOfOtherPepper } = await countKeys(ctx);
  if (hashed > 0 && keysOfOtherPepper === hashed)
    throw new ConfigError([
      ...problems,
      'KEY_PEPPER is another one than that with which all API keys are hashed: set it to the value that it had. ' +
        'If that is lost, revoke these keys, and create new ones with keys create.',
    ]);
  if (problems.length > 0 && problems.length === keys.length) throw new ConfigError(problems);
  for (const problem of problems) ctx.log.error({ problem }, 'secrets of stores cannot be decrypted');
}

/** Many commits in one iteration of the event loop wake the relay once. Without Redis, the relay only polls. */
function coalesce(publish: () => Promise<unknown>): () => void {
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    setImmediate(() => {
      pending = false;
      publish().catch(() => undefined);
    });
  };
}
