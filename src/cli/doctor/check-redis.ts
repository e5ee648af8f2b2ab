import { type InspectedRedis, inspectRedis } from '#src/platform/inspect-redis.ts';
import type { Services } from '#src/services.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const oldestVersion = [6, 2] as const;

/** Every node of the Redis that carries the queues. */
export async function checkRedis({ config }: Services): Promise<Finding[]> {
  return (await inspectRedis(config.redisUrl)).flatMap(evaluate);
}

function evaluate(redis: InspectedRedis): Finding[] {
  const { address, failure, writeFailure, version, policy } = redis;
  if (failure) return [explainFailure(address, failure)];
  if (writeFailure) return [explainWriteFailure(address, writeFailure)];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
  return [
    isOld
      ? fault('redis', `${address} is version ${version}.`, `Upgrade it to ${oldestVersion.join('.')} or newer.`)
      : ok('redis', `${address} responds, version ${version}.`),
    policy === 'noeviction'
      ? ok('redis policy', 'It never evicts data.')
      : fault(
          'redis policy',
          `It evicts jobs when its memory is full (${policy}).`,
          'Set maxmemory-policy to noeviction.',
        ),
    checkPersistence(redis),
  ];
}

function explainFailure(address: string, failure: string): Finding {
  const reason = failure.replace(/\.$/, '');
  if (/^(WRONGPASS|NOAUTH)/.test(failure)) {
    const advice = 'Correct the user or the password in REDIS_URL; percent-encode special characters in them.';
    return fault('redis', `${address} rejects the login: ${reason}.`, advice);
  }
  if (failure.startsWith('NOPERM')) {
    const advice = 'Allow the user of REDIS_URL all commands, keys and channels (+@all ~* &*).';
    return fault('redis', `${address} denies the user a command: ${reason}.`, advice);
  }
  if (/DB index/.test(failure)) {
    const advice = 'Correct the number at the end of REDIS_URL, or leave it out.';
    return fault('redis', `${address} has no such database: ${reason}.`, advice);
  }
  const advice = 'Check that the server of REDIS_URL runs and accepts connections from this machine.';
  return fault('redis', `${address} does not respond: ${reason}.`, advice);
}

function explainWriteFailure(address: string, failure: string): Finding {
  const isFull = failure.startsWith('OOM ');
  const advice = isFull ? 'Raise its maxmemory.' : 'Correct what it reports.';
  return fault(
    'redis',
    `${address} ${isFull ? 'has no memory left' : 'stores nothing'}: ${failure.replace(/\.$/, '')}.`,
    `${advice} Jobs wait in PostgreSQL meanwhile; nothing is lost.`,
  );
}

/** Nothing is lost without it: PostgreSQL is the truth. */
function checkPersistence({ isPersistent }: InspectedRedis): Finding {
  if (isPersistent) return ok('redis persistence', 'It persists data across restarts.');
  const message =
    isPersistent === false
      ? 'It loses its data when it restarts.'
      : 'It is unknown whether it persists data across restarts.';
  return warning(
    'redis persistence',
    message,
    'No job is lost by that, only delayed by up to a minute. To avoid the delay, set appendonly yes.',
  );
}
