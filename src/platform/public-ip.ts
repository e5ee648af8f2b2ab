import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

import { seconds } from '#src/lib/duration.ts';

/** Whether a connection to this address may be made. */
export type IpRule = (address: string) => boolean;

/** A connection was about to be made to an address that is not public. */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress';

  constructor() {
    super('The IP address is not public.');
  }
}

export interface ResolvedIp {
  readonly address: string;
  readonly family: number;
}

/**
 * The only public block of IPv6. Addresses that contain an IPv4 one (mapped, NAT64, 6to4, Teredo) are rejected as well.
 */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** Public by its number, but inside Azure it serves credentials. */
const azureMetadata = '168.63.129.16';

/**
 * Whether an IP address is public: not private, loopback, link-local, carrier-grade NAT, cloud metadata or reserved,
 * nor an IPv6 address that means an IPv4 one.
 */
export function isPublicIp(address: string): boolean {
  if (isIP(address) === 0 || address === azureMetadata) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
}

/** The check of local mode: public addresses and this machine. */
export function allowLoopback(address: string): boolean {
  if (isPublicIp(address)) return true;
  return isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';
}

/** The message for every URL that is rejected because of its network. */
export const notPublic = 'The URL points to a private network.';

/**
 * Why a URL may not be used, as far as its text shows, or `undefined`. The URL parser has converted decimal, octal,
 * hexadecimal and shortened hosts before.
 */
export function checkUrl(text: string, options: { allowHttp: boolean; mayReach: IpRule }): string | undefined {
  if (!URL.canParse(text)) return 'This is not a URL.';
  const url = new URL(text);
  const isHttp = options.allowHttp && url.protocol === 'http:';
  if (url.protocol !== 'https:' && !isHttp) return 'The URL must begin with https://.';
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or a password.';
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return options.mayReach(host) ? undefined : notPublic;
  return isLocalName(host) && !options.mayReach('127.0.0.1') ? notPublic : undefined;
}

const resolver = new Resolver({ timeout: seconds(1.5), tries: 2 });

/**
 * Every IP address of a host. Queries name servers directly: the system's lookup shares four threads, so that one dead
 * name server could block all lookups, and it resolves names of our own network.
 */
export async function resolveName(host: string): Promise<ResolvedIp[]> {
  const name = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const family = isIP(name);
  if (family !== 0) return [{ address: name, family }];
  if (isLocalName(name))
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];

  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}

/** Names that mean this machine, whatever a name server says (RFC 6761). */
function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
