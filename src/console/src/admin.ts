import { createAdmin } from '@storefront-commerce/client';

import { fetchThroughGates } from './session/gates.ts';

const options = { baseUrl: location.origin, staffSession: true } as const;

/** The API of the store. An expired session or a missing second factor is asked for, and the request is then repeated. */
export const admin = createAdmin({ ...options, fetch: fetchThroughGates });

/** For requests that sign in and confirm, whose errors are shown where they are made. */
export const directAdmin = createAdmin(options);
