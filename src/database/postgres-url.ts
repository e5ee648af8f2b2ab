import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

import { seconds } from '#src/lib/duration.ts';

/**
 * Parse a database URL for a client or a pool. As in libpq, every character of the database's name may be
 * percent-encoded, of which the parser itself leaves `%24`, `%2F` and others unchanged, and `connect_timeout` is in
 * seconds.
 */
export function parsePostgresUrl(url: string): ClientConfig {
  const config: ClientConfig & { connect_timeout?: string } = parseIntoClientConfig(nameSslMode(url));
  const [, name] = /^[^/]+\/\/[^/?#]*\/([^?#]+)/.exec(url) ?? [];
  return {
    ...config,
    ...(name && isEncoded(name) && { database: decodeURIComponent(name) }),
    ...(config.connect_timeout && { connectionTimeoutMillis: seconds(Number(config.connect_timeout)) }),
  };
}

/** The parser takes these modes for `verify-full`, and warns of it at length. */
function nameSslMode(url: string): string {
  if (/[?&]uselibpqcompat=true/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

const isEncoded = (text: string): boolean => /^([^%]|%[0-9a-f]{2})*$/i.test(text);
