import { defineEntity, p } from '@mikro-orm/core';

import { days } from '#src/lib/duration.ts';
import { follow, type StateTable } from '#src/lib/state-table.ts';
import type { LabelPurchase, Rate } from '../ports/shipping-gateway.ts';
import type { ReasonCode, reasonCodes } from './label-reasons.ts';

export const labelStates = [
  'queued',
  'rate_chosen',
  'buying',
  'purchased',
  'needs_attention',
  'skipped',
  'voided',
] as const;
export type LabelState = (typeof labelStates)[number];

/** Why no label is bought for an order. */
export type SkipReason = 'not_required' | 'by_hand';

/**
 * A purchase that is found after its attempts ended still leads to `purchased`, because a label that is paid for is
 * used. One that was voided at the provider itself leads to `needs_attention`.
 */
const table: StateTable<LabelState> = {
  queued: ['rate_chosen', 'purchased', 'needs_attention', 'skipped', 'voided'],
  rate_chosen: ['queued', 'buying', 'purchased', 'needs_attention', 'skipped', 'voided'],
  buying: ['queued', 'rate_chosen', 'purchased', 'needs_attention'],
  purchased: ['needs_attention', 'voided'],
  needs_attention: ['queued', 'rate_chosen', 'buying', 'purchased', 'skipped', 'voided'],
  skipped: ['queued', 'rate_chosen', 'buying'],
  voided: [],
};

/** A rate can be bought for seven days. The last day is a margin for the calls in between. */
const rateUsableMs = days(6);

/**
 * The rate as stored in JSON, so its date is text. `quotedFor` is a digest of the address, the parcel and the store's
 * settings, or the marker of the quote from which an operator chose it.
 */
export type ChosenRate = Omit<Rate, 'createdAt'> & { readonly createdAt: string; readonly quotedFor: string };

const LabelSchema = defineEntity({
  name: 'Label',
  tableName: 'labels',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    orderId: p.string(),
    orderNumber: p.string(),
    state: p.enum(labelStates),
    reasonCode: p.string().$type<(typeof reasonCodes)[number]>().nullable(),
    reasonDetail: p.string().nullable(),
    flaggedCode: p.string().$type<ReasonCode>().nullable(),
    /** The number of its newest attempt: the job of an earlier one does nothing. */
    latestAttempt: p.integer(),
    /** Attempts that failed temporarily since it was last started: which wait of the schedule comes next. */
    failedAttempts: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    /** Since when the provider has only responded "retry later". */
    postponedSince: p.datetime().nullable(),
    leaseToken: p.string().nullable(),
    leaseExpiresAt: p.datetime().nullable(),
    chosenManually: p.boolean(),
    /** Whether an operator requested it for the present address: then it may cross a border. */
    requestedManually: p.boolean().default(false),
    rate: p.json<ChosenRate>().nullable(),
    rateId: p.string().nullable(),
    amountCents: p.bigint('number').nullable(),
    /**
     * Every rate that a purchase was requested with: a purchase that appears late is found at the rate it was made
     * with.
     */
    requestedRateIds: p.array().default([]),
    buyNumber: p.integer(),
    buyToken: p.string().nullable(),
    buyingSince: p.datetime().nullable(),
    emptyLookupAt: p.datetime().nullable(),
    /** Since when its order was refunded or returned while a purchase is open: no other one is requested. */
    unwantedSince: p.datetime().nullable(),
    purchaseId: p.string().nullable(),
    trackingNumber: p.string().nullable(),
    trackingUrl: p.string().nullable(),
    labelUrl: p.string().nullable(),
    purchasedAt: p.datetime().nullable(),
    recheckAt: p.datetime().nullable(),
    rechecks: p.integer(),
    /** Since when it is being voided: the refund may have been requested already. */
    voidingSince: p.datetime().nullable(),
    voidedAt: p.datetime().nullable(),
    /** When the provider rejected the refund after all. */
    refundRejectedAt: p.datetime().nullable(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/**
 * The label of an order, from the request to the purchase. `buyingSince` guards against buying twice: while it is set,
 * a purchase was requested whose outcome is unknown, and nothing else may be bought.
 */
export class Label extends LabelSchema.class {
  moveTo(state: LabelState): void {
    this.state = follow(table, this.state, state);
  }

  /** No attempt has anything left to do for it. */
  get isFinished(): boolean {
    return this.state === 'purchased' || this.state === 'skipped' || this.state === 'voided';
  }

  isHeldByAnother(now: Date): boolean {
    return Boolean(this.leaseExpiresAt && this.leaseExpiresAt > now);
  }

  hold(token: string, expiresAt: Date): void {
    this.leaseToken = token;
    this.leaseExpiresAt = expiresAt;
  }

  /** End the lease: the attempt that held it recorded its outcome. */
  release(): void {
    this.leaseToken = null;
    this.leaseExpiresAt = null;
  }

  /** Whether the chosen rate can still be bought and was quoted for this. */
  hasUsableRate(now: Date, quotedFor: string): boolean {
    if (!this.rate || now.getTime() - Date.parse(this.rate.createdAt) >= rateUsableMs) return false;
    return this.rate.quotedFor === quotedFor;
  }

  choose(rate: Rate, quotedFor: string): void {
    this.moveTo('rate_chosen');
    this.chosenManually = false;
    this.rate = { ...rate, createdAt: rate.createdAt.toISOString(), quotedFor };
    this.rateId = rate.id;
    this.amountCents = rate.amountCents;
    this.buyToken = nextBuyToken(this);
  }

  /** An operator chose the rate: it is bought for any box, and for the same contents. */
  chooseManually(rate: Rate, marker: string): void {
    this.choose(rate, marker);
    this.chosenManually = true;
  }

  dropRate(): void {
    this.rate = null;
    this.rateId = null;
    this.amountCents = null;
    this.buyToken = null;
    this.chosenManually = false;
  }

  /** From here on the label may have been bought. */
  beginBuying(now: Date): void {
    this.buyToken = nextBuyToken(this);
    this.moveTo('buying');
    this.requestRate();
    this.buyingSince = now;
    this.emptyLookupAt = null;
  }

  /** It was bought at this rate, which its row did not record: a backup was restored since. */
  recoverAt(rate: Rate): void {
    this.choose(rate, '');
    this.requestRate();
  }

  private requestRate(): void {
    if (this.rateId) this.requestedRateIds = [...new Set([...this.requestedRateIds, this.rateId])];
    this.buyNumber += 1;
  }

  /** The purchase that was requested certainly did not happen. */
  wasNotBought(): void {
    this.moveTo('rate_chosen');
    this.buyingSince = null;
    this.emptyLookupAt = null;
  }

  /**
   * Whether a purchase of its rate is its own: one with the marker of another label is not. One without a marker was
   * made by hand, and is.
   */
  owns({ marker }: LabelPurchase): boolean {
    const named = readMarker(marker);
    return named === undefined || named.labelId === this.id;
  }

  /**
   * Sent with a purchase and returned by the provider: which label, which purchase of it, which order of which store.
   * Several stores may have the same account.
   */
  get marker(): string {
    return `${this.buyToken} ${this.tenantId} ${this.orderNumber}`.slice(0, 100);
  }

  wasBought(purchase: LabelPurchase, now: Date): void {
    this.moveTo('purchased');
    this.buyingSince = null;
    this.emptyLookupAt = null;
    this.purchaseId = purchase.id;
    this.trackingNumber = purchase.trackingNumber;
    this.trackingUrl = purchase.trackingUrl;
    this.labelUrl = purchase.labelUrl;
    this.purchasedAt = now;
    this.reasonCode = null;
    this.reasonDetail = null;
    this.flaggedCode = null;
    this.nextAttemptAt = null;
    this.postponedSince = null;
    this.release();
  }

  /** Its purchase was voided at the provider itself and cannot be used: it has none again. */
  wasVoidedAtProvider(): void {
    this.purchaseId = null;
    this.purchasedAt = null;
    this.trackingNumber = null;
    this.trackingUrl = null;
    this.labelUrl = null;
  }

  /** No label is bought for the order. */
  skip(reason: SkipReason): void {
    this.moveTo('skipped');
    this.reasonCode = reason;
    this.nextAttemptAt = null;
  }

  /** Number its next attempt, so that its job gets a key of its own. */
  nextAttempt(at: Date | null): number {
    this.latestAttempt += 1;
    this.nextAttemptAt = at;
    return this.latestAttempt;
  }
}

LabelSchema.setClass(Label);

const nextBuyToken = ({ id, buyNumber }: Label) => `${id}:${buyNumber + 1}`;

/** What a marker names. */
export interface Marker {
  readonly labelId: string;
  readonly tenantId: string;
  readonly orderNumber: string;
}

/** What a marker names; `undefined` where this service did not write it. */
export function readMarker(marker: string): Marker | undefined {
  const [, labelId, tenantId, orderNumber] = /^(lbl_[0-9a-z]{26}):\d+ (ten_[0-9a-z]{26}) (.*)$/.exec(marker) ?? [];
  if (labelId === undefined || tenantId === undefined || orderNumber === undefined) return undefined;
  return { labelId, tenantId, orderNumber };
}
