import { read } from '#src/database/transact.ts';
import type { Static, TObject } from '#src/lib/schema.ts';
import type { Sql } from '#src/lib/sql.ts';
import type { Issue } from '#src/lib/validation.ts';
import type { FieldValues, IdentifiedChange } from '../../change.ts';
import type { Context, InTransaction } from '../../context.ts';
import type { AdminArea } from '../../tenants/index.ts';

/** A selected thing: its id, and its place in the operation. */
export interface Selected {
  readonly id: string;
  readonly row: number;
  readonly operationId: string;
}

/** A thing that a bulk change changed, with the values before and after. */
export interface Changed {
  readonly id: string;
  readonly values: FieldValues;
}

/** What can be changed in many things at once. */
export interface ChangeKind {
  readonly name: string;
  /** The area of the owner's work that it belongs to: who may change one of the things may change many. */
  readonly area: AdminArea;
  /** By what things are selected: the fields of the query of the route that lists them. */
  readonly filter: TObject;
  /** What is changed, and how. */
  readonly change: TObject;
  /** What to say where the change lacks what is changed, or has too much of it. */
  readonly choice?: string;
  /** What is wrong with a change that fits the schema. */
  check?(ctx: Context, change: object): readonly Issue[];
  /** How many things are changed in one transaction. */
  readonly batchSize: number;
  /** What the audit log calls it; undefined where saving writes the audit log. */
  readonly auditedAs?: string;
  /** The rows `id` of what the filter matches. */
  select(ctx: Context, filter: object): Sql;
  /** The rows `id` and `subject` of what has these ids: how its owner calls it. */
  subjects(ctx: Context, ids: readonly string[]): Sql;
  /**
   * Change several things at once.
   * @throws DomainError if one of them is rejected: then each is changed alone
   */
  save(ctx: InTransaction, selected: readonly Selected[], change: object): Promise<readonly IdentifiedChange[]>;
  /** Return things to the values before. @throws DomainError as `save`, also for what was changed since */
  undo?(ctx: InTransaction, changed: readonly Changed[]): Promise<readonly IdentifiedChange[]>;
}

type ChangeKindOf<Filter extends TObject, Fields extends TObject> = Omit<
  ChangeKind,
  'filter' | 'change' | 'check' | 'select' | 'save'
> & {
  readonly filter: Filter;
  readonly change: Fields;
  check?(ctx: Context, change: Static<Fields>): readonly Issue[];
  select(ctx: Context, filter: Static<Filter>): Sql;
  save(ctx: InTransaction, selected: readonly Selected[], change: Static<Fields>): Promise<readonly IdentifiedChange[]>;
};

/** A change kind whose functions get values that fit its schemas. */
export function defineChangeKind<Filter extends TObject, Fields extends TObject>(
  kind: ChangeKindOf<Filter, Fields>,
): ChangeKind {
  return kind as unknown as ChangeKind;
}

/** What the owner calls the things with these ids, by their ids. An unknown id is missing. */
export async function subjectsOf(
  ctx: Context,
  { subjects }: Pick<ChangeKind, 'subjects'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await read<{ id: string; subject: string }>(ctx, subjects(ctx, ids));
  return new Map(rows.map(({ id, subject }) => [id, subject]));
}
