import type { Processor } from '#workers/runtime/processor.ts';

/** Every job, joined to the operation that does it. */
export const processors: readonly Processor[] = [];
