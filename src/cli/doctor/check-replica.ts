import type { Services } from '#src/services.ts';
import { type Finding, ok, warning } from './finding.ts';

/** The read replica, if one is configured. Without it, the primary is read. */
export async function checkReplica(services: Services): Promise<Finding[]> {
  const { replica } = services.context().database;
  if (!replica) return [];
  const failure = await replica.inspect();
  if (!failure) return [ok('read replica', 'It responds and has caught up.')];
  return [warning('read replica', failure.reason, `${failure.advice} The primary is read meanwhile.`.trim())];
}
