import type { Processor } from '#workers/runtime/processor.ts';
import { processors as emails } from './emails.ts';

/** Every job, joined to the operation that does it. */
export const processors: readonly Processor[] = [...emails];
