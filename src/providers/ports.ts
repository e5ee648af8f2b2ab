import type { Config } from '#src/config.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import type { Log } from '#src/lib/log.ts';

/** The real outside world. */
export function createPorts(_config: Config, _log: Log): Ports {
  return {} as Ports;
}
