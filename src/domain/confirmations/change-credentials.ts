import { transact } from '#src/database/transact.ts';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Static, Text, Type } from '#src/lib/schema.ts';
import { lockSubject, recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { type Confirmed, requestCode, useCode } from './one-time-password.ts';

/** The one-time password with which the owner confirms a change. */
export const Confirmation = Type.Object({
  id: Text(40, { examples: ['otp_01m7xfs208fk1sctzyr3afnpz3'] }),
  code: Text(10, { examples: ['123456'] }),
});
export type Confirmation = Static<typeof Confirmation>;

/** What opens a store's account at a provider, by field and in clear; null where there is none. */
export type Credentials = Readonly<Record<string, string | null>>;

/** A change of the credentials of one account. */
export interface CredentialsChange {
  /** The account, as the audit log calls it: `payments`. */
  readonly name: string;
  /** What it is called in the email to the owner. */
  readonly title: string;
  /** What is on file and would be replaced or taken away, and by what. What is given for the first time is not in it. */
  replaced(ctx: InTransaction): Promise<Credentials>;
}

/**
 * Email the store's owner the one-time password for a change of credentials: it is good for this very change alone.
 * @throws DomainError `invalid_request` where nothing on file would be replaced, or `rate_limited`
 */
export async function requestConfirmation(
  ctx: Context,
  change: CredentialsChange,
): Promise<{ confirmationId: string }> {
  return transact(ctx, async (ctx) => {
    const replaced = await change.replaced(ctx);
    const fields = Object.keys(replaced);
    if (fields.length === 0)
      throw invalidRequest('This change needs no confirmation: it replaces no credentials that are on file.');
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
 * Change an account at a provider. What replaces credentials that are on file, or takes them away, needs the one-time
 * password that the owner was emailed for this very change.
 *
 * @throws DomainError `confirmation_required`, also for a code that is wrong or no longer good; or what `save` throws
 */
export async function changeCredentials<Result>(
  ctx: Context,
  change: CredentialsChange,
  confirmation: Confirmation | null | undefined,
  save: (ctx: InTransaction) => Promise<Result>,
): Promise<Result> {
  // A wrong code is counted and logged: this transaction commits that, and the error follows.
  const outcome = await transact(ctx, async (ctx) => {
    await lockSubject(ctx, 'provider', change.name);
    const replaced = await change.replaced(ctx);
    const fields = Object.keys(replaced);
    const isConfirmed =
      fields.length === 0 ||
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
      ? 'This one-time password is not valid for this change, or no longer.'
      : 'Replacing credentials that are on file needs a one-time password: request one, and send it along.',
  );
}

function confirmationRequired(fields: readonly string[], message: string): DomainError {
  return new DomainError('forbidden', 'confirmation_required', message, { extensions: { fields } });
}

/** Keyed: the digest stands in the stored email, and must not let its reader test guesses. */
function confirmedBy(ctx: Context, id: string, { name }: CredentialsChange, replaced: Credentials): Confirmed {
  const boundTo = hmacSha256(ctx.settings.keyPepper, JSON.stringify(replaced)).toString('base64url');
  return { id, purpose: `providers.${name}`, boundTo };
}

/** What of the credentials on file another set replaces or takes away. */
export function replacedBy(onFile: Credentials, wanted: Credentials): Credentials {
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => onFile[field] != null && onFile[field] !== value),
  );
}
