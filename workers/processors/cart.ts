import * as jobs from '#jobs/cart.ts';
import * as cart from '#src/domain/cart/index.ts';
import { platformProcessor } from '#workers/runtime/processor.ts';

export const processors = [platformProcessor(jobs.pruneCarts, cart.pruneCarts)];
