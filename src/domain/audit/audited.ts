import { lockNames } from '#src/database/lock-names.ts';
import { transact } from '#src/database/transact.ts';
import { DomainError, invalidRequest, notFound } from '#src/lib/errors.ts';
import { Omittable, Type } from '#src/lib/schema.ts';
import type { Change } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
import { type AuditRecord, recordAudit } from './audit-log.ts';

/** A change of one thing through the admin API. */
export interface AuditedChange<View extends object> {
  /** The kind of thing as in the audit log: `promo_code`. */
  readonly kind: string;
  /** The name of the thing. */
  readonly name: string;
  /** Lock what other changes of the thing lock, so that they wait for each other; by default the name of this kind. */
  lock?(ctx: InTransaction): Promise<void>;
  /** The thing as the owner sees it, without secrets; `undefined` when it does not exist. The audit log stores it. */
  view(ctx: InTransaction): Promise<View | undefined>;
  /** The part of the view that the audit log stores, without emails. Default: all of it. */
  logged?(view: View): object;
  change(ctx: InTransaction): Promise<Change>;
}

/**
 * Create a thing. `nameField` is the path of its name in the request: `/slug`.
 * @throws DomainError `invalid_request` when the name is taken
 */
export async function auditedCreation<View extends object>(
  ctx: Context,
  subject: AuditedChange<View> & { readonly nameField: string },
): Promise<View> {
  const { view } = await audited(ctx, subject, (before) => before && taken(subject));
  return present(view, subject);
}

/** The version that a change is meant for, in the body of a request. */
export const ExpectedVersion = Omittable(
  Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    examples: [1],
    description: 'Apply the change only to this version; otherwise the request fails with `version_conflict`.',
  }),
);

/**
 * Change an existing thing, if it still has the expected version where one is given.
 * @throws DomainError not_found, `version_conflict`
 */
export async function auditedUpdate<View extends object>(
  ctx: Context,
  subject: AuditedChange<View>,
  expected?: View extends Versioned ? { readonly version: number | null | undefined } : never,
): Promise<View> {
  const { view } = await audited(ctx, subject, (before: (View & Partial<Versioned>) | undefined) => {
    if (!before) return missing(subject);
    return isOtherVersion(before, expected?.version) ? changedMeanwhile(subject) : undefined;
  });
  return present(view, subject);
}

interface Versioned {
  readonly version: number;
}

/** Whether a thing has another version than the expected one, if any is expected. */
export const isOtherVersion = ({ version }: Partial<Versioned>, expected: number | null | undefined): boolean =>
  expected !== undefined && expected !== null && version !== expected;

export const changedMeanwhile = ({ kind }: { kind: string }): DomainError =>
  new DomainError('conflict', 'version_conflict', `The ${inWords(kind)} has been changed since you read it.`);

/**
 * Create a thing or change the existing one, if it still exists and has the expected version where one is given.
 * @throws DomainError `version_conflict`
 */
export async function auditedSave<View extends object>(
  ctx: Context,
  subject: AuditedChange<View>,
  expected?: View extends Versioned ? { readonly version: number | null | undefined } : never,
): Promise<{ view: View; isNew: boolean }> {
  const { view, change } = await audited(ctx, subject, (before: (View & Partial<Versioned>) | undefined) =>
    isOtherVersion(before ?? {}, expected?.version) ? changedMeanwhile(subject) : undefined,
  );
  return { view: present(view, subject), isNew: change.action === 'created' };
}

/**
 * Remove an existing thing.
 * @throws DomainError not_found
 */
export async function auditedRemoval<View extends object>(ctx: Context, subject: AuditedChange<View>): Promise<void> {
  await audited(ctx, subject, (before) => (before ? undefined : missing(subject)));
}

/** Run a change and record it in the audit log, in one transaction. */
export async function withAudit<Result>(
  ctx: Context,
  work: (ctx: InTransaction) => Promise<Result>,
  recordOf: (result: Result) => AuditRecord,
): Promise<Result> {
  return transact(ctx, async (ctx) => {
    const result = await work(ctx);
    await recordAudit(ctx, recordOf(result));
    return result;
  });
}

/** Make the change, record it unless nothing changed, and return the thing as it is then. */
async function audited<View extends object>(
  ctx: Context,
  subject: AuditedChange<View>,
  errorOf: (before: View | undefined) => DomainError | undefined,
): Promise<{ view: View | undefined; change: Change }> {
  return transact(ctx, async (ctx) => {
    await (subject.lock?.(ctx) ?? lockNames(ctx, subject.kind, [subject.name]));
    const before = await subject.view(ctx);
    const error = errorOf(before);
    if (error) throw error;
    const change = await subject.change(ctx);
    await ctx.tx.em.flush();
    const after = change.action === 'removed' ? undefined : await subject.view(ctx);
    if (change.action !== 'unchanged') await recordAudit(ctx, recordOf(subject, change, before, after));
    return { view: after, change };
  });
}

/** `changed` lists the changed fields, including secrets, whose values are never stored. */
function recordOf<View extends object>(
  { kind, name, logged = (view) => view }: AuditedChange<View>,
  { action, fields }: Change,
  before: View | undefined,
  after: View | undefined,
): AuditRecord {
  return {
    action: `${kind}.${action}`,
    subjectKind: kind,
    subjectId: idOf(after ?? before) ?? name,
    before: before && logged(before),
    after: after && { ...logged(after), ...(action === 'updated' && { changed: fields }) },
  };
}

function idOf(view: object | undefined): string | undefined {
  return view && 'id' in view && typeof view.id === 'string' ? view.id : undefined;
}

function present<View extends object>(view: View | undefined, subject: AuditedChange<View>): View {
  if (!view) throw missing(subject);
  return view;
}

const inWords = (kind: string) => kind.replaceAll('_', ' ');

const missing = ({ kind }: { kind: string }) => notFound(inWords(kind));

function taken({ kind, nameField }: { kind: string; nameField: string }): DomainError {
  const field = nameField.replace('/', '');
  return invalidRequest(`A ${inWords(kind)} with this ${field} already exists.`, {
    path: nameField,
    code: 'taken',
    detail: `is the ${field} of another ${inWords(kind)}`,
  });
}
