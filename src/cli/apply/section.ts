import type { Change } from '#src/domain/change.ts';
import type { InTransaction } from '#src/domain/context.ts';
import type { Settings } from '#src/domain/settings.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type Static, type TSchema, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { fits, type Issue } from '#src/lib/validation.ts';

/** How `apply` was called. */
export interface ApplyOptions {
  /** Also set what a store file only opens: stock, and balances of gift cards. */
  readonly setStock: boolean;
  /** Remove what the lists of the file do not name. */
  readonly prune: boolean;
}

/** One run of `apply`, as its sections see it. */
export interface ApplyRun {
  readonly ctx: InTransaction;
  readonly options: ApplyOptions;
  /** Report a change, and write it to the audit log, which calls it `kind`. */
  record(kind: string, ...changes: Change[]): Promise<void>;
  /** Only report a change that the audit log has already. */
  report(change: Change): void;
  /** Show the value of a new key. */
  reveal(key: { name: string; value: string }): void;
  /** Report to the operator what is left to do. */
  note(message: string): void;
  progress(message: string): void;
}

/** One section of the store file: its schema, and how it is applied. */
export interface Section {
  readonly name: string;
  readonly schema: TSchema;
  /**
   * The issues of those of its items that match the schema. Paths start at the section.
   * @param currency the store's, where the file says it
   */
  check(value: unknown, settings: Settings, currency?: string): Issue[];
  apply(run: ApplyRun, value: unknown): Promise<void>;
}

/** The error of a domain, with its place in the file. */
export class RejectedInput extends Error {
  override readonly name = 'RejectedInput';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], cause: unknown) {
    super('The input was rejected.', { cause });
    this.issues = issues;
  }
}

/** A section that is one thing. */
export function one<Schema extends TSchema>(definition: {
  name: string;
  kind: string;
  schema: Schema;
  check?(value: Static<Schema>, settings: Settings): Issue[];
  save(run: ApplyRun, value: Static<Schema>): Promise<Change>;
}): Section {
  const { name, kind, schema } = definition;
  return {
    name,
    schema,
    check: (value, settings) => (fits(schema, value) ? (definition.check?.(value, settings) ?? []) : []),
    async apply(run, value) {
      if (!fits(schema, value)) throw new TypeError(`The section ${name} was not checked.`);
      await run.record(kind, await placed(`/${name}`, () => definition.save(run, value)));
    },
  };
}

/** How many items are saved at once before progress is reported. */
const batchSize = 250;

/** A section that is a list of things, each known by its key. */
export function many<Schema extends TSchema, Saved extends Change>(definition: {
  name: string;
  kind: string;
  schema: Schema;
  /** The values that must be unique, each with its path. Never shown: some are secret. */
  keyOf(item: Static<Schema>): string;
  keyField: string;
  check?(item: Static<Schema>, settings: Settings, currency?: string): Issue[];
  /** The issues between items. One that does not match the schema is `undefined`. */
  checkAll?(items: readonly (Static<Schema> | undefined)[]): Issue[];
  save(run: ApplyRun, item: Static<Schema>): Promise<Saved>;
  /**
   * Save several items at once if that is faster; otherwise with `saveOne`, which knows the place of each in the file.
   */
  saveAll?(
    run: ApplyRun,
    items: readonly Static<Schema>[],
    saveOne: (item: Static<Schema>, index: number) => Promise<Saved>,
  ): Promise<Saved[]>;
  /** Remove the items that are not among these, and record it. */
  prune?(run: ApplyRun, named: ReadonlySet<string>): Promise<void>;
  /** Whether this happens when the others are saved, one of which may have to replace them. By default it makes room. */
  prunesLast?: boolean;
}): Section {
  const { name, kind, schema, keyOf, prunesLast = false } = definition;
  const list = Type.Array(schema, { maxItems: 100_000 });
  return {
    name,
    schema: list,
    check(value, settings, currency) {
      if (!Array.isArray(value)) return [];
      const items = value.map((item: unknown) => (fits(schema, item) ? item : undefined));
      const ofEach = <Result>(read: (item: Static<Schema>) => Result) =>
        items.map((item) => (item === undefined ? undefined : read(item)));
      return [
        ...ofEach((item) => definition.check?.(item, settings, currency)).flatMap((issues, index) =>
          under(`/${index}`, issues ?? []),
        ),
        ...repeated(ofEach(keyOf), definition.keyField),
        ...(definition.checkAll?.(items) ?? []),
      ];
    },
    async apply(run, value) {
      if (!fits(list, value)) throw new TypeError(`The section ${name} was not checked.`);
      const prune = async () => {
        if (run.options.prune) await definition.prune?.(run, new Set(value.map(keyOf)));
      };
      if (!prunesLast) await prune();
      for (let from = 0; from < value.length; from += batchSize) {
        const items = value.slice(from, from + batchSize);
        const saveOne = (item: Static<Schema>, index: number) =>
          placed(`/${name}/${from + index}`, () => definition.save(run, item));
        const changes = await placed(`/${name}`, () => (definition.saveAll ?? saveEach)(run, items, saveOne));
        await run.record(kind, ...changes);
        if (items.length < batchSize) continue;
        const { tx } = run.ctx;
        // Otherwise the unit of work looks for changes in all that was saved before, for each that is saved.
        await tx.em.flush();
        tx.em.clear();
        // A plan that was made for nearly empty tables may read all rows of the store for each that it looks up.
        await tx.execute(sql`discard plans`);
        run.progress(`${name}: ${from + batchSize} of ${value.length}`);
      }
      if (prunesLast) await prune();
    },
  };
}

async function saveEach<Item, Saved extends Change>(
  _run: ApplyRun,
  items: readonly Item[],
  saveOne: (item: Item, index: number) => Promise<Saved>,
): Promise<Saved[]> {
  const changes: Saved[] = [];
  for (const [index, item] of items.entries()) changes.push(await saveOne(item, index));
  return changes;
}

/** The same issues, further down. */
export function under(path: string, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: path + issue.path }));
}

function repeated(keys: readonly (string | undefined)[], field: string): Issue[] {
  const first = new Map<string, number>();
  return keys.flatMap((key, index) => {
    if (key === undefined) return [];
    const before = first.get(key);
    if (before === undefined) first.set(key, index);
    const detail = `is the same as in entry ${(before ?? 0) + 1} of the list`;
    return before === undefined ? [] : [{ path: `/${index}/${field}`, code: 'repeated', detail }];
  });
}

/** Add the place in the file to an error of the domain. */
export async function placed<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { errors } = error.extensions;
    const issues = Array.isArray(errors) ? errors.filter(isIssue) : [];
    const whole = { path: '', code: error.code, detail: error.message };
    throw new RejectedInput(under(path, issues.length > 0 ? issues : [whole]), error);
  }
}

function isIssue(value: unknown): value is Issue {
  return typeof value === 'object' && value !== null && 'path' in value && 'detail' in value;
}
