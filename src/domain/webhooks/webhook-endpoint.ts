import { defineEntity, p } from '@mikro-orm/core';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { invalidRequest } from '#src/lib/errors.ts';

export const disabledReasons = ['owner', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** What the outcome of an attempt means for its endpoint. */
export interface AttemptResult {
  readonly at: Date;
  readonly ok: boolean;
  /** The response was 410 Gone. */
  readonly gone: boolean;
}

export interface AttemptCircumstances {
  /** Whether this was the single attempt that a half-open breaker allows. */
  readonly probe: boolean;
  /** How long the breaker stays open the first time; it doubles each further time. */
  readonly firstOpenMs: number;
  readonly nextStepMs: number;
}

/** What the caller has to do after recording results. */
export interface Consequences {
  /** A probe succeeded: every lease may be used again. */
  readonly recovered: boolean;
  readonly warn: boolean;
  readonly disabled: DisabledReason | null;
}

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    url: p.string(),
    events: p.json<string[]>(),
    concurrency: p.integer(),
    ratePerSecond: p.integer().nullable(),
    secretSealed: p.string(),
    /** The secrets that were replaced, as a sealed list (`endpoint-secrets.ts`). */
    retiringSecretsSealed: p.string().nullable(),
    disabledAt: p.datetime().nullable(),
    disabledReason: p.enum(disabledReasons).nullable(),
    failingSince: p.datetime().nullable(),
    failures: p.integer(),
    failuresInRow: p.integer(),
    warnings: p.integer(),
    warnedAt: p.datetime().nullable(),
    /** Updated once a minute at most while deliveries succeed, as each update locks the row. */
    lastSuccessAt: p.datetime().nullable(),
    breakerOpenings: p.integer(),
    breakerOpenUntil: p.datetime().nullable(),
    pacedUntil: p.datetime().nullable(),
    version: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** How many failures in a row open the breaker, and how long it stays open at most. */
export const breakerFailures = 5;
const breakerOpenMaxMs = minutes(15);

/**
 * An endpoint is disabled after failing for this long and this often without a success, and so long after its owner was
 * warned: its failing may seem to have lasted for days only because nothing was delivered meanwhile.
 */
const failing = { forMs: days(5), failuresMin: 10, warnedForMs: hours(12) };
/** How long an endpoint fails until its owner is warned, the first and the second time. */
const warnAfterMs = [hours(24), hours(72)];

/**
 * Where a store's events are delivered to. It decides when it may be called: its owner enables and disables it, a
 * breaker pauses it while it fails, a rate limit paces it, and after days of failing it is disabled.
 */
export class WebhookEndpoint extends WebhookEndpointSchema.class {
  /**
   * How many of the `wanted` deliveries may be attempted now: none while paused, one as a probe, and under a rate limit
   * a tenth of a second's worth, so that requests are spread evenly.
   */
  allowance(wanted: number, now: Date): number {
    if (this.disabledAt || this.isPaused(now) || this.pauseMs(now) > 0) return 0;
    if (this.isHalfOpen(now)) return 1;
    return Math.min(wanted, this.ratePerSecond ? Math.max(1, Math.floor(this.ratePerSecond / 10)) : wanted);
  }

  /** Account for `count` attempts that start now. A probe keeps the breaker open for all others until it is over. */
  begin(count: number, now: Date, leasedUntil: Date): { probe: boolean } {
    const probe = this.isHalfOpen(now);
    if (probe) this.breakerOpenUntil = leasedUntil;
    if (this.ratePerSecond) this.pacedUntil = new Date(now.getTime() + (count * 1000) / this.ratePerSecond);
    return { probe };
  }

  /** A probe was not sent after all: allow the next one at once, as no other job is scheduled for it. */
  returnProbe(now: Date): void {
    this.breakerOpenUntil = now;
  }

  /** Whether the breaker is open: nothing is attempted, and no attempt of the schedule is used up. */
  isPaused(now: Date): boolean {
    return this.breakerOpenUntil != null && this.breakerOpenUntil > now;
  }

  /** How long the rate limit delays the next attempt. */
  pauseMs(now: Date): number {
    return Math.max(0, (this.pacedUntil?.getTime() ?? 0) - now.getTime());
  }

  /**
   * Record the results of attempts, in the order in which they ended.
   * @param circumstances `nextStepMs` is the wait before the next attempt of what just failed: the breaker never delays a
   *   delivery for longer than its schedule does
   */
  recordResults(results: readonly AttemptResult[], now: Date, circumstances: AttemptCircumstances): Consequences {
    const { probe, firstOpenMs, nextStepMs } = circumstances;
    for (const { at, ok } of results) ok ? this.succeeded(at) : this.failed(at);

    const opens = this.failuresInRow >= breakerFailures && (probe || !this.isPaused(now));
    if (opens) {
      const openMs = Math.min(firstOpenMs * 2 ** this.breakerOpenings, breakerOpenMaxMs, nextStepMs);
      this.breakerOpenings += 1;
      this.breakerOpenUntil = new Date(now.getTime() + openMs);
    }
    const disabled = this.disabledAt ? null : this.reasonToDisable(results, now);
    if (disabled) this.disable(disabled, now);
    return {
      recovered: probe && this.breakerOpenUntil === null && !this.disabledAt,
      warn: !this.disabledAt && this.isWarningDue(now),
      disabled,
    };
  }

  disable(reason: DisabledReason, now: Date): void {
    this.disabledAt = now;
    this.disabledReason = reason;
    this.touch(now);
  }

  /** Enable it and reset its failures. */
  enable(now: Date): void {
    this.disabledAt = null;
    this.disabledReason = null;
    this.resetFailures();
    this.touch(now);
  }

  /** Raise the version after a change that the owner can see. */
  touch(now: Date): void {
    this.version += 1;
    this.updatedAt = now;
  }

  private isHalfOpen(now: Date): boolean {
    return this.breakerOpenUntil != null && !this.isPaused(now);
  }

  private succeeded(at: Date): void {
    const knownForMs = at.getTime() - (this.lastSuccessAt?.getTime() ?? -Infinity);
    if (this.failures > 0 || knownForMs >= minutes(1)) this.lastSuccessAt = at;
    this.resetFailures();
  }

  private resetFailures(): void {
    this.failingSince = null;
    this.failures = 0;
    this.failuresInRow = 0;
    this.warnings = 0;
    this.warnedAt = null;
    this.breakerOpenings = 0;
    this.breakerOpenUntil = null;
  }

  private failed(at: Date): void {
    this.failingSince ??= at;
    this.failures += 1;
    this.failuresInRow += 1;
  }

  private reasonToDisable(results: readonly AttemptResult[], now: Date): DisabledReason | null {
    if (results.some(({ gone }) => gone)) return 'gone';
    const isLong =
      msSince(this.failingSince, now) >= failing.forMs && msSince(this.warnedAt, now) >= failing.warnedForMs;
    return isLong && this.failures >= failing.failuresMin ? 'failing' : null;
  }

  private isWarningDue(now: Date): boolean {
    const due = warnAfterMs.filter((afterMs) => msSince(this.failingSince, now) >= afterMs).length;
    if (due <= this.warnings) return false;
    this.warnings = due;
    this.warnedAt = now;
    return true;
  }
}

/** 0 where there is no time. */
const msSince = (time: Date | null | undefined, now: Date): number => (time ? now.getTime() - time.getTime() : 0);

WebhookEndpointSchema.setClass(WebhookEndpoint);

/** @throws DomainError `invalid_request` when the endpoint is disabled, as nothing would reach it */
export function rejectDisabled({ disabledAt }: Pick<WebhookEndpoint, 'disabledAt'>): void {
  if (disabledAt) throw invalidRequest('This endpoint is disabled. Enable it first.');
}
