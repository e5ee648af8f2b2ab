import { isIP } from 'node:net';

import { DomainError } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { bearerOf } from './authenticate.ts';
import type { Visitor } from './visitor.ts';

/** What a request says of where its shopper is. */
export interface Origin {
  /** The address that the request came from. */
  readonly clientAddress: string;
  /** The `x-client-ip` header; '' when it was not sent. */
  readonly named: string;
  readonly authorization: string;
}

/**
 * The shopper's address. A storefront's server, known by its secret key, speaks for many shoppers and may name each
 * (`x-client-ip`); where it does not, nobody knows. Anybody else is where they call from, whatever they say.
 */
export async function shopperAddress(
  services: Pick<Services, 'keys'>,
  visitor: Visitor,
  { clientAddress, named, authorization }: Origin,
): Promise<string | undefined> {
  if (!(await isServer(services, visitor, authorization))) return clientAddress;
  return isIP(named) === 0 ? undefined : named;
}

/** A public route asks for no key, but a storefront's server may send it to say that it is one. */
async function isServer(
  { keys }: Pick<Services, 'keys'>,
  { tenant, key }: Visitor,
  authorization: string,
): Promise<boolean> {
  if (key) return key.kind === 'secret';
  if (!/^Bearer +sk_/i.test(authorization)) return false;
  try {
    const opened = await keys.open(bearerOf(authorization));
    return opened.kind === 'secret' && opened.tenantId === tenant.id;
  } catch (error) {
    // A key that opens nothing says nothing.
    if (error instanceof DomainError) return false;
    throw error;
  }
}
