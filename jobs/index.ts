import type { JobDefinition } from './lib/define-job.ts';
import * as webhooks from './webhooks.ts';

/** Every job there is. */
export const jobs: readonly JobDefinition[] = [webhooks].flatMap((page) => Object.values(page) as unknown as JobDefinition[]);
