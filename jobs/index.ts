import * as analytics from './analytics.ts';
import * as bulk from './bulk.ts';
import * as checkout from './checkout.ts';
import * as emails from './emails.ts';
import * as integrations from './integrations.ts';
import * as labels from './labels.ts';
import * as leads from './leads.ts';
import type { JobDefinition } from './lib/define-job.ts';
import * as payments from './payments.ts';
import * as privacy from './privacy.ts';
import * as reminders from './reminders.ts';
import * as retention from './retention.ts';
import * as search from './search.ts';
import * as sessions from './sessions.ts';
import * as staff from './staff.ts';
import * as webhooks from './webhooks.ts';

/** Every job of the service. */
export const jobs: readonly JobDefinition[] = [
  analytics,
  bulk,
  checkout,
  emails,
  integrations,
  labels,
  leads,
  payments,
  privacy,
  reminders,
  retention,
  search,
  sessions,
  staff,
  webhooks,
].flatMap((file) => Object.values(file) as unknown as JobDefinition[]);

/** The jobs that this release knows. Another one, that runs beside it or ran before it, may know others. */
export const jobNames: readonly string[] = jobs.map(({ name }) => name);
