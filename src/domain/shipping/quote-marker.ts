import { shortDigest } from '#src/lib/crypto.ts';
import type { ShippingAddress } from '../orders/index.ts';

/** What a quote for an order is marked with: the order, and a digest of where it went when rates were asked for. */
export function quoteMarker(orderId: string, to: ShippingAddress | null): string {
  const written =
    to && [to.name, to.street1, to.street2, to.city, to.state, to.zip, to.country].map((part) => part ?? '');
  return `${orderId} ${shortDigest(JSON.stringify(written), 20)}`;
}
