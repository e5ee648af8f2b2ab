import { type InspectedRedis, inspectRedis } from '#src/platform/inspect-redis.ts';
import type { Services } from '#src/services.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const oldestVersion = [6, 2] as const;

/** Every node of the Redis that carries the queues. */
export async function checkRedis({ config }: Services): Promise<Finding[]> {
  return (await inspectRedis(config.redisUrl)).flatMap(judge);
}

function judge(redis: InspectedRedis): Finding[] {
  const { address, failure, version, policy } = redis;
  if (failure) {
    const advice = 'See whether the server of REDIS_URL runs and lets this machine in.';
    return [fault('redis', `${address} does not answer: ${failure}.`, advice)];
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
  return [
    isOld
      ? fault('redis', `${address} is version ${version}.`, `Upgrade it to ${oldestVersion.join('.')} or newer.`)
      : ok('redis', `${address} answers, version ${version}.`),
    policy === 'noeviction'
      ? ok('redis policy', 'It throws nothing away.')
      : fault(
          'redis policy',
          `When it is full it throws jobs away (${policy}).`,
          'Set maxmemory-policy to noeviction.',
        ),
    checkPersistence(redis),
  ];
}

/** Nothing is lost without it: PostgreSQL is the truth. */
function checkPersistence({ isPersistent }: InspectedRedis): Finding {
  if (isPersistent) return ok('redis persistence', 'It keeps what it holds over a restart.');
  const sentence =
    isPersistent === false
      ? 'It forgets everything when it restarts.'
      : 'It does not say whether it keeps anything over a restart.';
  return warning(
    'redis persistence',
    sentence,
    'Nothing is lost by that, only late by up to a minute. To spare it, set appendonly yes.',
  );
}
