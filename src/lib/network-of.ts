import { isIP } from 'node:net';

/**
 * The network of an IP address, too large to identify one client: the first three bytes of an IPv4 address, the first
 * 48 bits of an IPv6 one. '' for what is not an IP address.
 */
export function networkOf(address: string): string {
  const ip = plainOf(address);
  switch (isIP(ip)) {
    case 4:
      return ip.split('.').slice(0, 3).join('.');
    case 6:
      return groupsOf(ip).slice(0, 3).join(':');
    default:
      return '';
  }
}

/** The client network of an IP: an IPv6 client has 2^64 of them, which share their first half. */
export function clientNetworkOf(address: string): string {
  const ip = plainOf(address);
  return isIP(ip) === 6 ? groupsOf(ip).slice(0, 4).join(':') : ip;
}

/** An IP without its zone, and an IPv4 address that is mapped into IPv6 as it is in IPv4. */
const plainOf = (address: string): string => address.replace(/%.*/s, '').replace(/^::ffff:(?=\d+(\.\d+){3}$)/i, '');

/** All eight groups of an IPv6 address; an IPv4 address at its end counts as two. */
function groupsOf(address: string): string[] {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const tail = after.concat(address.includes('.') ? '0' : []);
  const zeros = Array<string>(Math.max(0, 8 - before.length - tail.length)).fill('0');
  return [...before, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(16));
}
