import * as analytics from './analytics.ts';
import * as backoffice from './backoffice.ts';
import * as cart from './cart.ts';
import * as checkout from './checkout.ts';
import * as confirmations from './confirmations.ts';
import * as emails from './emails.ts';
import * as idempotency from './idempotency.ts';
import * as integrations from './integrations.ts';
import * as labels from './labels.ts';
import * as leads from './leads.ts';
import type { JobDefinition } from './lib/define-job.ts';
import * as payments from './payments.ts';
import * as reminders from './reminders.ts';
import * as search from './search.ts';
import * as sessions from './sessions.ts';
import * as webhooks from './webhooks.ts';

/** Every job there is. */
export const jobs: readonly JobDefinition[] = [
  analytics,
  backoffice,
  cart,
  checkout,
  confirmations,
  emails,
  idempotency,
  integrations,
  labels,
  leads,
  payments,
  reminders,
  search,
  sessions,
  webhooks,
].flatMap((page) => Object.values(page) as unknown as JobDefinition[]);
