import { defineEntity, p } from '@mikro-orm/core';

import { days } from '#src/lib/duration.ts';
import { follow, type StateTable } from '#src/lib/state-table.ts';
import type { LabelPurchase, Rate } from '../ports/shipping-gateway.ts';
import type { ReasonCode } from './label-reasons.ts';

export const labelStates = [
  'queued',
  'quoting',
  'rate_chosen',
  'buying',
  'purchased',
  'needs_attention',
  'skipped',
  'voided',
] as const;
export type LabelState = (typeof labelStates)[number];

/**
 * A purchase that is found later than we gave it up still ends in `purchased`: what is paid for is used. One that was
 * given back at the provider itself needs a person.
 */
const table: StateTable<LabelState> = {
  queued: ['quoting', 'rate_chosen', 'purchased', 'needs_attention', 'skipped', 'voided'],
  quoting: ['queued', 'rate_chosen', 'purchased', 'needs_attention', 'skipped'],
  rate_chosen: ['queued', 'quoting', 'buying', 'purchased', 'needs_attention', 'skipped', 'voided'],
  buying: ['queued', 'rate_chosen', 'purchased', 'needs_attention'],
  purchased: ['needs_attention', 'voided'],
  needs_attention: ['queued', 'rate_chosen', 'buying', 'purchased', 'skipped', 'voided'],
  skipped: ['queued', 'rate_chosen'],
  voided: [],
};

/** A rate is sold for seven days; the last of them is left to the calls that lie between. */
const rateUsableMs = days(6);

/** The rate as the row keeps it: JSON, so its moment is text. `quotedFor` is a digest of where it goes and what it weighs. */
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
    reasonCode: p.string().$type<ReasonCode | 'not_required' | 'by_hand'>().nullable(),
    reasonDetail: p.string().nullable(),
    flaggedCode: p.string().$type<ReasonCode>().nullable(),
    attempt: p.integer(),
    tries: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    /** Since when the provider only says to come back later. */
    postponedSince: p.datetime().nullable(),
    /** Runs that took it up since one last said how it went. */
    starts: p.integer().default(0),
    leaseToken: p.string().nullable(),
    leaseExpiresAt: p.datetime().nullable(),
    chosenManually: p.boolean(),
    rate: p.json<ChosenRate>().nullable(),
    rateId: p.string().nullable(),
    amountCents: p.bigint('number').nullable(),
    /** The rates that a purchase was ever asked for with: one that shows late is found at the rate that it was made with. */
    requestedRateIds: p.array().default([]),
    buyNumber: p.integer(),
    buyToken: p.string().nullable(),
    buyingSince: p.datetime().nullable(),
    emptyLookupAt: p.datetime().nullable(),
    purchaseId: p.string().nullable(),
    trackingNumber: p.string().nullable(),
    trackingUrl: p.string().nullable(),
    labelUrl: p.string().nullable(),
    purchasedAt: p.datetime().nullable(),
    recheckAt: p.datetime().nullable(),
    rechecks: p.integer(),
    /** Since when it is being given back: its price may have been asked back already. */
    voidingSince: p.datetime().nullable(),
    voidedAt: p.datetime().nullable(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/**
 * The label of an order, from the wish to the purchase. `buyingSince` is the one thing that guards money: while it is
 * set, a purchase was asked for whose outcome is not known, and nothing may be bought before it is.
 */
export class Label extends LabelSchema.class {
  moveTo(state: LabelState): void {
    this.state = follow(table, this.state, state);
  }

  /** Nothing is left to be done for it. */
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

  /** The run that held it says how it went. */
  release(): void {
    this.starts = 0;
    this.leaseToken = null;
    this.leaseExpiresAt = null;
  }

  /** Whether the rate that was chosen can still be bought, and is for the parcel that is to be sent. */
  hasUsableRate(now: Date, parcel: string): boolean {
    if (!this.rate || now.getTime() - Date.parse(this.rate.createdAt) >= rateUsableMs) return false;
    return this.chosenManually || this.rate.quotedFor === parcel;
  }

  choose(rate: Rate, quotedFor: string, isManual: boolean): void {
    this.moveTo('rate_chosen');
    this.chosenManually = isManual;
    this.rate = { ...rate, createdAt: rate.createdAt.toISOString(), quotedFor };
    this.rateId = rate.id;
    this.amountCents = rate.amountCents;
    this.buyToken = nextBuyToken(this);
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
    if (this.rateId) this.requestedRateIds = [...new Set([...this.requestedRateIds, this.rateId])];
    this.buyNumber += 1;
    this.buyingSince = now;
    this.emptyLookupAt = null;
  }

  /** The purchase that was asked for is certain not to have happened. */
  wasNotBought(): void {
    this.moveTo('rate_chosen');
    this.buyingSince = null;
    this.emptyLookupAt = null;
  }

  /** Whether a purchase of its rate is its own: the marker of another label's says so; a purchase without one was made by hand. */
  owns({ marker }: LabelPurchase): boolean {
    const labelId = labelIdIn(marker);
    return labelId === undefined || labelId === this.id;
  }

  /** What the provider is told, and tells back: which label, which purchase of it, which order. */
  get marker(): string {
    return `${this.buyToken} ${this.orderNumber}`.slice(0, 100);
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

  /** Somebody gave it back at the provider: it is no label any more. */
  wasVoidedAtProvider(): void {
    this.trackingNumber = null;
    this.trackingUrl = null;
    this.labelUrl = null;
  }

  /** A new promise of work for it, by a name of its own. */
  nextAttempt(at: Date | null): number {
    this.attempt += 1;
    this.nextAttemptAt = at;
    return this.attempt;
  }
}

LabelSchema.setClass(Label);

const nextBuyToken = ({ id, buyNumber }: Label) => `${id}:${buyNumber + 1}`;

/** The label that a marker names, if it is one of ours. */
export function labelIdIn(marker: string): string | undefined {
  return /^(lbl_[0-9a-z]{26}):\d+( |$)/.exec(marker)?.[1];
}
