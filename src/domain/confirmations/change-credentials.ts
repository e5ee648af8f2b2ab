import { lockNames } from '#src/database/lock-names.ts';
import { transact } from '#src/database/transact.ts';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Static, Text, Type } from '#src/lib/schema.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { isVerified } from '../second-factor.ts';
import { type Confirmed, OneTimeCode, requestCode, useCode } from './one-time-password.ts';

/** The one-time password with which the owner confirms a change. */
export const Confirmation = Type.Object({
  id: Text(40, { examples: ['otp_01m7xfs208fk1sctzyr3afnpz3'] }),
  code: OneTimeCode,
});
export type Confirmation = Static<typeof Confirmation>;

/** The credentials of a store's account at a provider, by field and in clear; null where there is none. */
export type Credentials = Readonly<Record<string, string | null>>;

/** A change of the credentials of one account. */
export interface CredentialsChange {
  /** The account's name in the audit log: `payments`. */
  readonly name: string;
  /** Its name in the email to the owner. */
  readonly title: string;
  /** The stored credentials that would be replaced or removed, with their new values. New credentials are not in it. */
  replaced(ctx: InTransaction): Promise<Credentials>;
}

/**
 * Email the store's owner the one-time password for a change of credentials. It is valid for this change only.
 * @throws DomainError `invalid_request` where nothing stored would be replaced, or `rate_limited`
 */
export async function requestConfirmation(
  ctx: Context,
  change: CredentialsChange,
): Promise<{ confirmationId: string }> {
  return transact(ctx, async (ctx) => {
    const replaced = await change.replaced(ctx);
    const fields = Object.keys(replaced);
    if (fields.length === 0)
      throw invalidRequest('This change needs no confirmation: it replaces no stored credentials.');
    const id = newId('otp');
    await requestCode(ctx, {
      ...confirmedBy(ctx, id, change, replaced),
      action: `replace ${fields.join(', ').replaceAll('_', ' ')} of your account at ${change.title}`,
    });
    await recordAudit(ctx, {
      action: 'provider.confirmation_requested',
      subjectKind: 'provider',
      subjectId: change.name,
      after: { confirmation_id: id, fields },
    });
    return { confirmationId: id };
  });
}

/**
 * Change an account at a provider. A change that replaces or removes stored credentials needs the one-time password
 * that the owner was emailed for this change, or a member of the staff whose session is verified.
 *
 * @throws DomainError `confirmation_required`, also for a wrong or expired code; or what `save` throws
 */
export async function changeCredentials<Result>(
  ctx: Context,
  change: CredentialsChange,
  confirmation: Confirmation | null | undefined,
  save: (ctx: InTransaction) => Promise<Result>,
): Promise<Result> {
  // A wrong code is counted and logged: this transaction commits, and the error is thrown after it.
  const outcome = await transact(ctx, async (ctx) => {
    await lockNames(ctx, 'provider', [change.name]);
    const replaced = await change.replaced(ctx);
    const fields = Object.keys(replaced);
    const isConfirmed =
      fields.length === 0 ||
      isVerified(ctx) ||
      (confirmation &&
        (await useCode(ctx, { ...confirmedBy(ctx, confirmation.id, change, replaced), code: confirmation.code })));
    if (isConfirmed) return { saved: await save(ctx) };
    if (confirmation) {
      await recordAudit(ctx, {
        action: 'provider.confirmation_rejected',
        subjectKind: 'provider',
        subjectId: change.name,
        after: { fields },
      });
    }
    return { fields };
  });
  if ('saved' in outcome) return outcome.saved;
  throw confirmationRequired(
    outcome.fields,
    confirmation
      ? 'This one-time password is invalid for this change or has expired.'
      : 'Replacing stored credentials needs a one-time password. Request one, and send it with the change.',
  );
}

function confirmationRequired(fields: readonly string[], message: string): DomainError {
  return new DomainError('forbidden', 'confirmation_required', message, { extensions: { fields } });
}

/** A keyed digest, because it is part of the stored email, whose reader must not be able to test guesses. */
function confirmedBy(ctx: Context, id: string, { name }: CredentialsChange, replaced: Credentials): Confirmed {
  const boundTo = hmacSha256(ctx.settings.keyPepper, JSON.stringify(replaced)).toString('base64url');
  return { id, purpose: `providers.${name}`, boundTo };
}

/**
 * A stored credential in clear. One whose key is lost stands for itself: it differs from any other, so that replacing it
 * is confirmed as well.
 */
export function openCredential(ctx: Context, field: string, sealed: string | null): string | null {
  return sealed && ctx.keyring.knows(sealed) ? ctx.keyring.open(ctx.tenant.id, field, sealed) : sealed;
}

/** The stored credentials that another set replaces or removes, with their new values. */
export function replacedBy(onFile: Credentials, wanted: Credentials): Credentials {
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => onFile[field] != null && onFile[field] !== value),
  );
}
