import { isIP } from 'node:net';

import { buildConnector } from 'undici';

import { BlockedAddress, type IpRule, type ResolvedIp } from './public-ip.ts';

export interface PinnedConnectorOptions {
  readonly mayReach: IpRule;
  readonly resolve: (host: string) => Promise<ResolvedIp[]>;
  readonly timeoutMs: number;
}

/**
 * Connects only to IP addresses that were checked: a host is resolved once, every result is checked, and the socket
 * gets those instead of the name, so that a name server which changes its results has no effect. The address that the
 * socket has connected to is checked once more.
 */
export function pinnedConnector({ mayReach, resolve, timeoutMs }: PinnedConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    // A quarter of a second, as by default, is less than it takes to reach the other side of the world.
    autoSelectFamilyAttemptTimeout: Math.round(timeoutMs / 3),
    allowH2: false,
    // The socket calls this for host names only; IP addresses are checked below.
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
