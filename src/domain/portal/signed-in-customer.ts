import type { OpenSession } from '../sessions/index.ts';

/** Who is signed in: what belongs to their address is theirs. */
export type SignedInCustomer = OpenSession['customer'];
