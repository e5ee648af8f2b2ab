import type { Processor } from '#workers/runtime/processor.ts';
import { processors as emails } from './emails.ts';
import { processors as labels } from './labels.ts';
import { processors as search } from './search.ts';
import { processors as webhooks } from './webhooks.ts';

/** Every job, joined to the operation that does it. */
export const processors: readonly Processor[] = [...emails, ...labels, ...search, ...webhooks];
