import { isIP } from 'node:net';

/**
 * The network of an IP address, too large to identify one client: the first three bytes of an IPv4 address, the first
 * 48 bits of an IPv6 one. '' for what is not an IP address.
 */
export function networkOf(address: string): string {
  const plain = address.split('%')[0] ?? '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  switch (isIP(mapped ?? plain)) {
    case 4:
      return (mapped ?? plain).split('.').slice(0, 3).join('.');
    case 6:
      return groupsOf(plain).slice(0, 3).join(':');
    default:
      return '';
  }
}

/** All eight groups of an IPv6 address; an IPv4 address at its end counts as two. */
function groupsOf(address: string): string[] {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const tail = after.concat(address.includes('.') ? '0' : []);
  const zeros = Array<string>(Math.max(0, 8 - before.length - tail.length)).fill('0');
  return [...before, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(16));
}
