import { inSavepoint } from '#src/database/savepoint.ts';
import { DomainError } from '#src/lib/errors.ts';
import { issueMessage } from '#src/lib/issue-message.ts';
import type { Issue } from '#src/lib/validation.ts';
import { auditOfChange, recordAudits } from '../audit/index.ts';
import type { FieldValues, IdentifiedChange } from '../change.ts';
import type { InTransaction } from '../context.ts';

/** One thing of a file: its rows, and the number of the first. The header of a table is row 1. */
export interface Item {
  readonly row: number;
  /** Of a selection: one row with one cell, the id. */
  readonly cells: readonly (readonly string[])[];
  /** The numbers of its rows, where empty ones are between them. */
  readonly rows?: readonly number[];
  /** What a bulk change changed and this operation undoes. */
  readonly values?: FieldValues | null;
}

/** The number of one of the rows of an item, by its index. */
export const rowAt = ({ row, rows }: Pick<Item, 'row' | 'rows'>, index: number): number => rows?.[index] ?? row + index;

/** What an operation does with its items. */
export interface ItemWork<Value = unknown> {
  /** @throws DomainError for an item that is rejected whatever is stored */
  valueOf(item: Item): Value;
  /**
   * Save several values at once.
   * @throws DomainError if one of them is rejected: then each is saved alone
   */
  save(ctx: InTransaction, values: readonly Value[]): Promise<readonly IdentifiedChange[]>;
  /** What the file calls the place of an issue; without it, the path of the field. */
  columnAt?(path: string): string;
  /** An issue of a thing that has several rows, with the part of it that it is about. */
  namingPart?(issue: Issue, item: Item, value: unknown): Issue;
  /** What the audit log calls what is saved; undefined where saving writes the audit log. */
  readonly auditedAs?: string | undefined;
  /** Whether the values before and after are stored, so that the operation can be undone. */
  readonly isUndoable?: boolean;
}

/** What became of an item: what saving it changed, or why it was rejected. */
export type Outcome = { readonly item: Item } & ({ readonly change: IdentifiedChange } | { readonly problem: string });

/** Apply the items of an operation. One that is rejected is undone alone, by a savepoint. */
export async function applyItems(
  ctx: InTransaction,
  work: ItemWork,
  items: readonly Item[],
): Promise<readonly Outcome[]> {
  const read = items.map((item) => unlessRejected(work, item, () => ({ item, value: work.valueOf(item) })));
  const valid = read.filter((each) => 'value' in each);
  const rejected = read.filter((each) => 'problem' in each);
  return [...rejected, ...(await saveValid(ctx, work, valid))];
}

interface Valid {
  readonly item: Item;
  readonly value: unknown;
}

/** Save all at once or, if one of them is rejected, each alone. */
async function saveValid(ctx: InTransaction, work: ItemWork, valid: readonly Valid[]): Promise<readonly Outcome[]> {
  if (valid.length === 0) return [];
  try {
    return await inSavepoint(ctx, (ctx) => saveTogether(ctx, work, valid));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const [first, ...others] = valid;
    if (first && others.length === 0) return [{ item: first.item, problem: problemOf(work, error, first) }];
  }
  const outcomes: Outcome[] = [];
  for (const each of valid) outcomes.push(...(await saveValid(ctx, work, [each])));
  return outcomes;
}

async function saveTogether(ctx: InTransaction, work: ItemWork, valid: readonly Valid[]): Promise<Outcome[]> {
  const changes = await work.save(
    ctx,
    valid.map(({ value }) => value),
  );
  const { auditedAs } = work;
  const made = changes.filter(({ action }) => action !== 'unchanged');
  if (auditedAs !== undefined && made.length > 0) {
    await recordAudits(
      ctx,
      made.map((change) => auditOfChange(auditedAs, change)),
    );
  }
  return valid.map(({ item }, index) => {
    const change = changes[index];
    if (!change) throw new TypeError('Saving items returned too few changes.');
    return { item, change };
  });
}

function unlessRejected<Result>(
  work: ItemWork,
  item: Item,
  read: () => Result,
): Result | { item: Item; problem: string } {
  try {
    return read();
  } catch (error) {
    if (error instanceof DomainError) return { item, problem: problemOf(work, error) };
    throw error;
  }
}

/** What is wrong, in words: each issue with its place, or else the message. */
function problemOf(
  { columnAt = withoutSlash, namingPart }: ItemWork,
  { message, extensions }: DomainError,
  valid?: Valid,
): string {
  const { errors } = extensions;
  const issues = Array.isArray(errors) ? (errors as readonly Issue[]) : [];
  const details = issues
    .map((issue) => (valid && namingPart ? namingPart(issue, valid.item, valid.value) : issue))
    .filter(({ path }) => path !== '')
    .map(({ path, detail }) => issueMessage(columnAt(path), detail));
  return details.length > 0 ? details.join(' ') : message;
}

const withoutSlash = (path: string): string => path.slice(1);
