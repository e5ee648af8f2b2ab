import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/**
 * Parse a database URL for a client or a pool. Every character of the database's name may be percent-encoded, as in
 * libpq: the parser itself leaves `%24`, `%2F` and others unchanged.
 */
export function parsePostgresUrl(url: string): ClientConfig {
  const config = parseIntoClientConfig(nameSslMode(url));
  const [, name] = /^[^/]+\/\/[^/?#]*\/([^?#]+)/.exec(url) ?? [];
  return name && isEncoded(name) ? { ...config, database: decodeURIComponent(name) } : config;
}

/** The parser takes these modes for `verify-full`, and warns of it at length. */
function nameSslMode(url: string): string {
  if (/[?&]uselibpqcompat=true/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

const isEncoded = (text: string): boolean => /^([^%]|%[0-9a-f]{2})*$/i.test(text);
