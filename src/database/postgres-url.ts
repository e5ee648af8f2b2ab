import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

import { seconds } from '#src/lib/duration.ts';

/** How long a connection may take to open, and in a pool to become free, unless the URL has a `connect_timeout`. */
const connectTimeoutMs = seconds(5);

/**
 * Parse a database URL for a client or a pool. As in libpq, every character of the database's name may be
 * percent-encoded, of which the parser itself leaves `%24`, `%2F` and others unchanged, and `connect_timeout` is in
 * seconds. Where a space or a `%` is not encoded, the parser would leave all other encoded characters unchanged.
 */
export function parsePostgresUrl(url: string): ClientConfig {
  const encoded = url.replace(/ |%(?![0-9a-f]{2})/gi, encodeURIComponent);
  const config: ClientConfig & { connect_timeout?: string } = parseIntoClientConfig(nameSslMode(encoded));
  const [, name] = /^[^/]+\/\/[^/?#]*\/([^?#]+)/.exec(encoded) ?? [];
  return {
    ...config,
    ...(name && { database: decodeURIComponent(name) }),
    connectionTimeoutMillis: seconds(Number(config.connect_timeout)) || connectTimeoutMs,
  };
}

/** The parser takes these modes for `verify-full`, and warns of it at length. */
function nameSslMode(url: string): string {
  if (/[?&]uselibpqcompat=true/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
