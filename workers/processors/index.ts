import type { Processor } from '#workers/runtime/processor.ts';
import { processors as analytics } from './analytics.ts';
import { processors as backoffice } from './backoffice.ts';
import { processors as cart } from './cart.ts';
import { processors as checkout } from './checkout.ts';
import { processors as confirmations } from './confirmations.ts';
import { processors as emails } from './emails.ts';
import { processors as idempotency } from './idempotency.ts';
import { processors as integrations } from './integrations.ts';
import { processors as labels } from './labels.ts';
import { processors as leads } from './leads.ts';
import { processors as payments } from './payments.ts';
import { processors as reminders } from './reminders.ts';
import { processors as search } from './search.ts';
import { processors as sessions } from './sessions.ts';
import { processors as webhooks } from './webhooks.ts';

/** Every job, joined to the operation that does it. */
export const processors: readonly Processor[] = [
  ...analytics,
  ...backoffice,
  ...cart,
  ...checkout,
  ...confirmations,
  ...emails,
  ...idempotency,
  ...integrations,
  ...labels,
  ...leads,
  ...payments,
  ...reminders,
  ...search,
  ...sessions,
  ...webhooks,
];
