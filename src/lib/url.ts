import { domainToUnicode } from 'node:url';

/** What a URL may have at most, in the form that `normalizeUrl` returns. */
export const urlLengthMax = 2048;

/** The scheme and an IPv6 host: the only places where a URL contains brackets. */
const head = /^[a-z][a-z0-9+.-]*:(?:\/\/(?:[^/?#@]*@)?\[[0-9a-f:.]*\])?/;
/**
 * What RFC 3986 allows nowhere, though browsers leave it as it is: brackets, braces, `|`, `^`, a lone `%` and others.
 */
const unwritable = /[^A-Za-z0-9._~:/?#@!$&'()*+,;=%-]|%(?![0-9A-Fa-f]{2})/g;

/**
 * The same URL in the form that every parser accepts: parsed as browsers do (an international host in punycode), with
 * everything percent-encoded that RFC 3986 does not allow.
 *
 * @throws TypeError for what is not a URL
 */
export function normalizeUrl(text: string): string {
  const { href } = new URL(text);
  const [start = ''] = head.exec(href) ?? [];
  const [before = '', ...fragment] = href.slice(start.length).replace(unwritable, encodeURIComponent).split('#');
  return `${start}${before}${fragment.length > 0 ? `#${fragment.join('%23')}` : ''}`;
}

/** The host and the port of a URL for people: an international host as it is written, and not in punycode. */
export function writtenHostOf(url: string): string {
  const { host, hostname } = new URL(url);
  return host.replace(hostname, domainToUnicode(hostname));
}

/** Whether browsers take this for the URL of a page or an image, however long. One of `javascript:` would be executed. */
export function isWebUrl(text: string): boolean {
  return ['https:', 'http:'].includes(URL.parse(text)?.protocol ?? '');
}

/** Whether this is such a URL, and no longer than `urlLengthMax`. */
export function isUrl(text: string): boolean {
  return isWebUrl(text) && normalizeUrl(text).length <= urlLengthMax;
}
