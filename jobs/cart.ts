import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Remove carts and saved carts that expired long ago. */
export const pruneCarts = defineJob({
  name: 'cart.prune-carts',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 120,
  key: ({ slot }) => String(slot),
});
