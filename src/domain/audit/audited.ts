import { transact } from '#src/database/transact.ts';
import { type DomainError, invalidRequest, notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Change } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
import { type AuditRecord, recordAudit } from './audit-log.ts';

/** A change of one thing, made on the owner's side. */
export interface AuditedChange<View extends object> {
  /** What kind of thing it is, in the log's words: `promo_code`. */
  readonly kind: string;
  /** What its owner calls it: changes of the same one wait for each other. */
  readonly name: string;
  /** The thing as its owner sees it, without its secrets; `undefined` where there is none. The log keeps it, too. */
  view(ctx: InTransaction): Promise<View | undefined>;
  /** What of the view the log keeps, where that is not all: no addresses. */
  logged?(view: View): object;
  change(ctx: InTransaction): Promise<Change>;
}

/**
 * Make a thing that is not there yet. `nameField` is where the request says its name: `/slug`.
 * @throws DomainError `invalid_request` when the name is taken
 */
export async function auditedCreation<View extends object>(
  ctx: Context,
  given: AuditedChange<View> & { readonly nameField: string },
): Promise<View> {
  const { view } = await audited(ctx, given, (before) => before && taken(given));
  return present(view, given);
}

/**
 * Change a thing that is there.
 * @throws DomainError not_found
 */
export async function auditedUpdate<View extends object>(ctx: Context, given: AuditedChange<View>): Promise<View> {
  const { view } = await audited(ctx, given, (before) => (before ? undefined : missing(given)));
  return present(view, given);
}

/** Make a thing, or change the one that is there. */
export async function auditedSave<View extends object>(
  ctx: Context,
  given: AuditedChange<View>,
): Promise<{ view: View; isNew: boolean }> {
  const { view, change } = await audited(ctx, given, () => undefined);
  return { view: present(view, given), isNew: change.action === 'created' };
}

/**
 * Remove a thing that is there.
 * @throws DomainError not_found
 */
export async function auditedRemoval<View extends object>(ctx: Context, given: AuditedChange<View>): Promise<void> {
  await audited(ctx, given, (before) => (before ? undefined : missing(given)));
}

/** Do something and write it into the audit log, in one transaction. */
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

/** Changes of one thing wait for each other until their transactions end. */
export async function lockSubject(ctx: InTransaction, kind: string, name: string): Promise<void> {
  const lock = JSON.stringify(['audited', ctx.tenant.id, kind, name]);
  await ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
}

/** The change, and the thing as it is then. What is so already changes nothing, and nothing is written of it. */
async function audited<View extends object>(
  ctx: Context,
  given: AuditedChange<View>,
  refusalOf: (before: View | undefined) => DomainError | undefined,
): Promise<{ view: View | undefined; change: Change }> {
  return transact(ctx, async (ctx) => {
    await lockSubject(ctx, given.kind, given.name);
    const before = await given.view(ctx);
    const refusal = refusalOf(before);
    if (refusal) throw refusal;
    const change = await given.change(ctx);
    await ctx.tx.em.flush();
    const after = change.action === 'removed' ? undefined : await given.view(ctx);
    if (change.action !== 'unchanged') await recordAudit(ctx, recordOf(given, change, before, after));
    return { view: after, change };
  });
}

/** `changed` names what changed, also what is never shown. */
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

function present<View extends object>(view: View | undefined, given: AuditedChange<View>): View {
  if (!view) throw missing(given);
  return view;
}

const inWords = (kind: string) => kind.replaceAll('_', ' ');

const missing = ({ kind }: { kind: string }) => notFound(inWords(kind));

function taken({ kind, nameField }: { kind: string; nameField: string }): DomainError {
  return invalidRequest(`There is a ${inWords(kind)} of this name already.`, {
    path: nameField,
    code: 'taken',
    detail: 'names something else already',
  });
}
