import type { Route } from './lib/define-route.ts';

/** Every route of the service. */
export const routes: readonly Route[] = [];
