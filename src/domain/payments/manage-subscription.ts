import { checkReactivation as checkReactivationJob } from '#jobs/payments.ts';
import { readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError, found, invalidRequest, notFound, ProviderError, rejectIssues, Snooze } from '#src/lib/errors.ts';
import { BooleanLike, ReadWith, type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import { SubscriptionInterval, sellsInterval } from '../catalog/index.ts';
import { checkCountry } from '../checks.ts';
import type { Context } from '../context.ts';
import { lockOrder } from '../orders/index.ts';
import type { PaymentAccount, SubscriptionChange } from '../ports/payment-gateway.ts';
import { addressFrom, ShippingAddressInput } from '../shipping/index.ts';
import {
  applySubscription,
  changeAddress,
  readSubscription,
  type SubscriptionView,
  subscriberOf,
} from '../subscriptions/index.ts';
import { rejectIfRemoved } from '../tenants/index.ts';
import { openAccount, whileCallerWaits } from './accounts/payment-account.ts';
import { paymentErrorOf, providerFailureOf, timeBucketOf, withPaymentErrors } from './provider-calls.ts';
import { applyCurrent } from './snapshots/apply-snapshot.ts';
import { fetchSubscription } from './snapshots/fetch-snapshot.ts';

const SubscriptionAction = Type.Enum(['pause', 'resume', 'cancel', 'change_interval', 'change_address']);

/** The body of POST /subscriptions/{id}/manage. */
export const ManageInput = Type.Object(
  {
    action: SubscriptionAction,
    at_period_end: ReadWith(
      { action: 'cancel' },
      BooleanLike({
        description: 'For `cancel`: at the end of the paid period (the default), or at once.',
      }),
    ),
    subscription_interval: ReadWith({ action: 'change_interval' }, SubscriptionInterval),
    shipping_address: ReadWith({ action: 'change_address' }, ShippingAddressInput),
  },
  {
    if: { required: ['action'], properties: { action: { const: 'change_interval' } } },
    then: { required: ['subscription_interval'], properties: { subscription_interval: SubscriptionInterval } },
  },
);
export type ManageInput = Static<typeof ManageInput>;

/** A change that is made at the payment provider. */
type ProviderChange = ManageInput & { readonly action: SubscriptionChange['action'] };

interface ManagedSubscription {
  readonly orderId: string;
  readonly paymentSubscriptionId: string;
  readonly status: string;
  /** The last snapshot that was applied. */
  readonly snapshotNumber: number;
  /** Whether a product of the subscription is not sold in the new interval. */
  readonly isUnsold: boolean;
}

/**
 * Change a subscription at the payment provider, and apply its snapshot; the address of its parcels is only known here.
 * Items that were subscribed to in one checkout are one subscription at the provider, so all of them are changed.
 *
 * @throws DomainError not_found, conflict `subscription_canceled`, invalid `price_unavailable` for an interval in which a
 *   product is not sold, invalid_request for what its status does not allow or what is no country, or the error of a
 *   failed call to the provider
 */
export async function manageSubscription(ctx: Context, id: string, input: ManageInput): Promise<SubscriptionView> {
  const { action, shipping_address: address } = input;
  if (action !== 'change_address') return applyChange(ctx, id, changeOf({ ...input, action }));
  if (address) return moveParcels(ctx, id, address);
  throw invalidRequest('Specify the address.', {
    path: '/shipping_address',
    code: 'required',
    detail: 'is required for change_address',
  });
}

/** Undo a cancellation at the end of the period. */
export async function reactivateSubscription(ctx: Context, id: string): Promise<SubscriptionView> {
  return applyChange(ctx, id, { action: 'keep' });
}

function changeOf({
  action,
  at_period_end: atPeriodEnd,
  subscription_interval: interval,
}: ProviderChange): SubscriptionChange {
  if (action === 'cancel') return { action: atPeriodEnd === false ? 'cancel' : 'cancel_at_period_end' };
  return action === 'change_interval' && interval ? { action, interval } : { action };
}

/** Send the parcels of the next periods to another address. */
async function moveParcels(ctx: Context, id: string, address: ShippingAddressInput): Promise<SubscriptionView> {
  rejectIssues(checkCountry('/shipping_address/country', address.country));
  return transact(ctx, async (ctx) => {
    const [subscription] = await ctx.tx.execute<Pick<ManagedSubscription, 'orderId' | 'paymentSubscriptionId'>>(sql`
      select order_id as "orderId", payment_subscription_id as "paymentSubscriptionId" from subscriptions
      where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    if (!subscription) throw notFound('subscription');
    await lockOrder(ctx, subscription.orderId);
    const before = found(await readSubscription(ctx, id), 'subscription');
    if (before.status === 'canceled') throw alreadyCanceled();
    await changeAddress(ctx, subscription.paymentSubscriptionId, addressFrom(address, before.shipping_address));
    // Without the address, which is personal data.
    await recordAudit(ctx, { action: 'subscription.change_address', subjectKind: 'subscription', subjectId: id });
    return found(await readSubscription(ctx, id), 'subscription');
  });
}

async function applyChange(ctx: Context, id: string, wanted: SubscriptionChange): Promise<SubscriptionView> {
  const interval = wanted.interval ?? null;
  const subscription = await readOne<ManagedSubscription>(
    ctx,
    sql`
    select s.order_id as "orderId", s.payment_subscription_id as "paymentSubscriptionId", s.status,
      s.snapshot_number as "snapshotNumber",
      exists (
        select from subscriptions item
        where item.tenant_id = ${ctx.tenant.id} and item.payment_subscription_id = s.payment_subscription_id
          and item.status <> 'canceled' and item.interval <> ${interval}
          and not ${sellsInterval(ctx, sql`item.product_id`, interval)}) as "isUnsold"
    from subscriptions s where s.tenant_id = ${ctx.tenant.id} and s.id = ${id}`,
  );
  if (!subscription) throw notFound('subscription');
  if (subscription.status === 'canceled') throw alreadyCanceled();
  if (subscription.status === 'paused' && wanted.action === 'change_interval') {
    throw unavailable('paused', 'Resume the subscription before you change its interval.');
  }
  if (subscription.status === 'past_due' && wanted.action === 'change_interval') {
    // It would be a trial until the end of the period that is not paid.
    throw overdue('Its interval can be changed once that is paid.');
  }
  if (subscription.isUnsold) throw notSold();

  const account = whileCallerWaits(await openAccount(ctx));
  if (wanted.action === 'keep') await announceReactivation(ctx, subscription);
  await changeAtProvider(ctx, account, id, subscription, wanted);
  const snapshot = await withPaymentErrors(fetchSubscription(ctx, account, subscription.paymentSubscriptionId));
  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, subscription.orderId);
    if (order) await applySubscription(ctx, snapshot, subscriberOf(order));
    await recordAudit(ctx, { action: `subscription.${wanted.action}`, subjectKind: 'subscription', subjectId: id });
  });
  const view = found(await readSubscription(ctx, id), 'subscription');
  if (view.status === 'canceled' && !wanted.action.startsWith('cancel')) throw alreadyCanceled();
  return view;
}

/** Longer than a reactivation takes. */
const reactivatedWithinMs = minutes(2);

/**
 * Before a subscription is reactivated: until it was checked whether it was, it counts as one that is charged, whatever
 * becomes of this process, so that its store is not removed.
 * @throws DomainError not_found when the store was removed already
 */
async function announceReactivation(ctx: Context, { paymentSubscriptionId }: ManagedSubscription): Promise<void> {
  await transact(ctx, async (ctx) => {
    await rejectIfRemoved(ctx);
    const payload = { paymentSubscriptionId, version: ctx.clock.now().getTime() };
    enqueue(ctx, checkReactivationJob, payload, { dueAt: fromNow(ctx.clock, reactivatedWithinMs) });
  });
}

/** Apply what the provider has of a subscription that was to be reactivated. Without an account it is not charged. */
export async function checkReactivation(
  ctx: Context,
  { paymentSubscriptionId }: { paymentSubscriptionId: string },
): Promise<void> {
  try {
    await applyCurrent(ctx, await openAccount(ctx), 'subscription', paymentSubscriptionId);
  } catch (error) {
    const failure = providerFailureOf(error);
    if (failure instanceof ProviderError) throw new Snooze(reactivatedWithinMs, failure.message);
  }
}

/**
 * A repeated change has one effect: within minutes by its idempotency key, later because it changes nothing any more.
 * Each change applies a snapshot, so that the same change after another one has another key.
 */
async function changeAtProvider(
  ctx: Context,
  account: PaymentAccount,
  id: string,
  { paymentSubscriptionId, snapshotNumber, status }: ManagedSubscription,
  wanted: SubscriptionChange,
): Promise<void> {
  const key = ['subscription', id, snapshotNumber, wanted.action, wanted.interval, timeBucketOf(ctx.clock)]
    .filter(Boolean)
    .join(':');
  try {
    await ctx.ports.payments.changeSubscription(account, paymentSubscriptionId, wanted, key, ctx.signal);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure === 'refused' && wanted.action === 'pause' && status === 'past_due') {
      throw overdue('It can be paused once that is paid, or canceled.');
    }
    // A canceled subscription is reported as missing when it is changed; it can still be fetched.
    if (error.failure !== 'missing') throw paymentErrorOf(error);
  }
}

const overdue = (advice: string) => unavailable('past_due', `A payment of the subscription is overdue. ${advice}`);

/** Said in a sentence: a page that offers the action calls it by another name. */
const unavailable = (code: string, detail: string) => invalidRequest(detail, { path: '/action', code, detail });

function notSold(): DomainError {
  const problem = { code: 'price_unavailable', detail: 'This product is not sold in this way.' };
  const errors = [{ path: '/subscription_interval', ...problem }];
  return new DomainError('invalid', problem.code, problem.detail, { extensions: { errors } });
}

const alreadyCanceled = () =>
  new DomainError('conflict', 'subscription_canceled', 'This subscription has ended. Subscribe again instead.');
