import { type Sql, sql } from '#src/lib/sql.ts';
import { isUnsent } from '../mail/index.ts';
import { isReasonCode, reasons } from '../shipping/index.ts';
import { type AdminArea, covers, isOfStore, type Scope } from '../tenants/index.ts';
import { type Advice, adviceForOrder, openAttentions } from './attention.ts';

/** The area of each kind of attention: who reads it sees the kind. Null: only an owner does. */
const areas = {
  payments: 'settings',
  order: 'orders',
  label: 'labels',
  duplicate_label: 'labels',
  shipping: 'settings',
  webhook_endpoint: 'webhooks',
  webhook_delivery: 'webhooks',
  email: 'orders',
  erasure: null,
} as const satisfies Record<string, AdminArea | null>;

export const attentionKinds = Object.keys(areas) as readonly (keyof typeof areas)[];

/** Whether attention of this kind concerns a caller with these scopes. */
export function concerns(held: readonly Scope[], kind: AttentionReason['kind']): boolean {
  const area = areas[kind];
  return covers(held, area === null ? 'admin:write' : `admin.${area}:read`);
}

/** More things of one kind in one store are not counted, so that its overview is quick however much waits. */
export const countMax = 1000;

/** The things of one kind that need attention for the same reason. */
export interface AttentionReason {
  readonly kind: (typeof attentionKinds)[number];
  /** The reason: a code of that kind. */
  readonly code: string;
  readonly count: number;
  readonly oldestAt: Date;
}

const isEndpointDown = sql`
  (failing_since is not null and disabled_at is null) or disabled_reason in ('gone', 'failing')`;

/** A statement for all that needs attention in all stores, as `AttentionReason`, the most severe kinds first. */
export const attentionOfAllStores = (): Sql =>
  countByReason({
    ofStore: isOfStore(sql`tenant_id`),
    first: () => sql``,
    // Their index does not have their stores.
    failedDeliveries: sql`webhook_deliveries where state = 'failed' and ${isOfStore(sql`tenant_id`)}`,
    // What blocks an erasure is ended by the store's own people.
    erasureStates: ['failed'],
  });

/**
 * The same of one store: the first thousand of each kind are counted, and the deliveries of an endpoint once that no
 * longer needs attention itself.
 */
export const attentionOfStore = (tenantId: string): Sql =>
  countByReason({
    ofStore: sql`tenant_id = ${tenantId}`,
    first: (order) => sql` order by ${order} limit ${countMax}`,
    // A store's deliveries have indexes by endpoint alone.
    failedDeliveries: sql`webhook_endpoints e cross join lateral (
        select d.finished_at from webhook_deliveries d
        where d.tenant_id = e.tenant_id and d.endpoint_id = e.id and d.state = 'failed'
        order by d.id limit ${countMax}) failed
      where e.tenant_id = ${tenantId} and (${isEndpointDown}) is not true limit ${countMax}`,
    erasureStates: ['blocked', 'failed'],
  });

interface Counted {
  /** A condition on `tenant_id`. */
  readonly ofStore: Sql;
  /** The order and the limit of kinds of which a store may have any number. */
  readonly first: (order: Sql) => Sql;
  readonly failedDeliveries: Sql;
  readonly erasureStates: readonly string[];
}

/** An order repeats the attention of its label; it is counted once, as the label's. */
function countByReason({ ofStore, first, failedDeliveries, erasureStates }: Counted): Sql {
  return sql`
    select kind, code, count(*)::int as count, min(since) as "oldestAt" from (
      select 1 as rank, 'payments' as kind, 'inbound_webhook_silent' as code, silent_since as since
      from payment_accounts where silent_since is not null and ${ofStore}
      union all
      select 1, 'payments', 'payment_events_forgotten', created_at
      from payment_event_gaps where finished_at is null and ${ofStore}
      union all
      (select 2, 'order', code, updated_at from (${openAttentions}) as open
        where ${ofStore}${first(sql`created_at, id`)})
      union all
      (select 3, 'label', reason_code, updated_at from labels
        where state = 'needs_attention' and ${ofStore}${first(sql`id`)})
      union all
      select 4, 'duplicate_label', state, found_at from unused_labels where acknowledged_at is null and ${ofStore}
      union all
      select 5, 'shipping', 'provider_auth', paused_at from shipping_accounts where paused_at is not null and ${ofStore}
      union all
      select 6, 'webhook_endpoint',
        case when disabled_at is null then 'failing' when disabled_reason = 'gone' then 'gone' else 'disabled' end,
        coalesce(failing_since, disabled_at)
      from webhook_endpoints where (${isEndpointDown}) and ${ofStore}
      union all
      (select 7, 'webhook_delivery', 'given_up', finished_at from ${failedDeliveries})
      union all
      (select 8, 'email', kind, updated_at from mails m where ${isUnsent} and ${ofStore}${first(sql`id`)})
      union all
      select 9, 'erasure', state, updated_at from erasures
      where state in ('blocked', 'failed') and state = any(${erasureStates}::text[]) and ${ofStore}) as waiting
    group by rank, kind, code order by rank, count desc, code`;
}

export function adviceFor(attention: Pick<AttentionReason, 'kind' | 'code'>): Advice {
  const area = areas[attention.kind];
  return { areas: area === null ? [] : [area], ...wordsFor(attention) };
}

function wordsFor({ kind, code }: Pick<AttentionReason, 'kind' | 'code'>): Omit<Advice, 'areas'> & Partial<Advice> {
  switch (kind) {
    case 'payments':
      return code === 'payment_events_forgotten'
        ? {
            message: 'The payment provider no longer lists events that were never received.',
            next: 'Their payments and subscriptions are scanned instead.',
          }
        : {
            message: "The payment provider's webhooks do not arrive.",
            next: 'Events are still found by polling, minutes later. Register the endpoint again.',
          };
    case 'order':
      return adviceForOrder(code);
    case 'label':
      return isReasonCode(code) ? reasons[code] : { message: 'A label needs attention.', next: 'Open the label.' };
    case 'duplicate_label':
      return adviceForOrder('duplicate_voided');
    case 'shipping':
      return reasons.provider_auth;
    case 'webhook_endpoint':
      return code === 'failing'
        ? {
            message: 'A webhook endpoint is failing.',
            next: 'Its receiver has to be repaired. When it works again, resend what it missed.',
          }
        : {
            message: 'A webhook endpoint was disabled, as it responded that it is gone (410) or failed for days.',
            next: 'When its receiver works again, enable it and resend what it missed.',
          };
    case 'webhook_delivery':
      return {
        message: 'A webhook delivery failed after its last attempt.',
        next: 'When its endpoint works again, resend it.',
      };
    case 'email':
      return {
        message: 'An email to a shopper was given up after its last attempt.',
        next: `The timeline of its order says which. ${
          code === 'receipt'
            ? 'Check the email, and resend the receipt.'
            : 'An operator of the service can have it sent after all, on /ops/emails.'
        }`,
      };
    case 'erasure':
      return code === 'blocked'
        ? {
            message: 'Something in progress blocks the erasure of a person.',
            next: 'Open the erasure: it says what has to end. Then continue it.',
          }
        : { message: 'The erasure of a person failed.', next: 'Preview it again, then run it.' };
  }
}
