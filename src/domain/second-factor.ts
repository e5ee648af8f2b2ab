import { DomainError } from '#src/lib/errors.ts';
import type { PlatformContext } from './context.ts';

/** Whether a member of the staff acts whose session is verified with the second factor. */
export function isVerified({ actor, clock }: Pick<PlatformContext, 'actor' | 'clock'>): boolean {
  return Boolean(actor.kind === 'staff' && actor.verifiedUntil && actor.verifiedUntil > clock.now());
}

/**
 * Reject a member of the staff whose session is not verified. Keys have no second factor.
 * @throws DomainError forbidden `second_factor_required`
 */
export function requireSecondFactor(ctx: Pick<PlatformContext, 'actor' | 'clock'>): void {
  if (ctx.actor.kind !== 'staff' || isVerified(ctx)) return;
  throw new DomainError(
    'forbidden',
    'second_factor_required',
    'This needs your second factor: verify your session, and try again.',
  );
}
