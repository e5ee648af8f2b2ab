import { isIP } from 'node:net';

import { buildConnector } from 'undici';

import { BlockedAddress, type IpRule, type ResolvedIp } from './public-ip.ts';

export interface PinnedConnectorOptions {
  readonly mayReach: IpRule;
  readonly resolve: (host: string) => Promise<ResolvedIp[]>;
  readonly timeoutMs: number;
}

/**
 * Connects to the very addresses that were judged: a host is resolved once, every answer is judged, and the socket is
 * given those answers instead of the name, so that a name server which changes its mind changes nothing. What the
 * socket then reached is judged once more.
 */
export function pinnedConnector({ mayReach, resolve, timeoutMs }: PinnedConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    // A quarter of a second, as by default, is less than it takes to reach the other side of the world.
    autoSelectFamilyAttemptTimeout: Math.round(timeoutMs / 3),
    allowH2: false,
    // Called by the socket for names alone; the literals are judged below.
    lookup(host, options, callback) {
      resolve(host).then(
        (addresses) => {
          const [first] = addresses;
          if (!first || !addresses.every(({ address }) => mayReach(address)))
            return callback(new BlockedAddress(), '', 0);
          return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, '', 0),
      );
    },
  });

  return (target, callback) => {
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !mayReach(literal)) return callback(new BlockedAddress(), null);
    return connect(target, (...result) => {
      const [error, socket] = result;
      if (error || !socket || mayReach(socket.remoteAddress ?? '')) return callback(...result);
      socket.destroy();
      return callback(new BlockedAddress(), null);
    });
  };
}
