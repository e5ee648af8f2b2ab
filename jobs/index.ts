import type { JobDefinition } from './lib/define-job.ts';
import * as emails from './emails.ts';
import * as labels from './labels.ts';
import * as search from './search.ts';
import * as webhooks from './webhooks.ts';

/** Every job there is. */
export const jobs: readonly JobDefinition[] = [emails, labels, search, webhooks].flatMap((page) => Object.values(page) as unknown as JobDefinition[]);
