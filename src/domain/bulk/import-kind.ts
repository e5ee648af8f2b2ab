import { invalidRequest } from '#src/lib/errors.ts';
import type { Static, TSchema } from '#src/lib/schema.ts';
import type { IdentifiedChange } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
import type { AdminArea } from '../tenants/index.ts';

export const importModes = ['upsert', 'create'] as const;
export type ImportMode = (typeof importModes)[number];

/** A row of a table as texts, by column. */
export type Row = Readonly<Record<string, string>>;

/** How a table in a file describes things. */
export interface TableFormat {
  /** Without these nothing can be imported. */
  readonly required: readonly string[];
  /** The others that are read. A file with a further column is rejected, unless they are `ignored`. */
  readonly optional: readonly string[];
  readonly otherColumns: 'rejected' | 'ignored';
  /** It is another program's: of the apostrophes before formulas, only those at the beginnings of cells are ours. */
  readonly isOfProgram?: true;
  /** Columns of what may be a number of many digits: spreadsheets abbreviate it, and it is another one then. */
  readonly identifiers?: readonly string[];
  /** Consecutive rows with the same text in this column, or with none, describe one thing. */
  readonly groupedBy?: string;
  /** The columns of fields whose names or places differ, by their paths without indexes: `variants/name`. */
  readonly columnsOf?: Readonly<Record<string, string>>;
  /**
   * One thing, as the schema of its kind describes it. Empty cells are omitted.
   * @throws DomainError `invalid_request`
   */
  valueOf(rows: readonly Row[], ctx: Context): Record<string, unknown>;
}

/** What can be imported: how it is written in files, and how it is saved. */
export interface ImportKind {
  readonly name: string;
  /** The area of the owner's work that it belongs to: who may change that may import it. */
  readonly area: AdminArea;
  /** For what is as good as money: a member of the staff has to have verified their session. */
  readonly needsSecondFactor?: true;
  /** The tables that it is read from, by the name of the format. Lines of JSON are values of the schema. */
  readonly tables: Readonly<Record<string, TableFormat>>;
  readonly schema: TSchema;
  /** A line of JSON as the schema describes it, where exports write more or other fields. */
  readLine?(line: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /**
   * For files with secrets: what is stored of a row. Any value that might be a secret is replaced, also one that stands
   * in the place of another.
   * @throws DomainError `invalid_request` for a field that is unknown
   */
  replaceSecrets?(ctx: Context, row: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** What the audit log calls it; undefined where saving writes the audit log. */
  readonly auditedAs?: string;
  /**
   * Save several things at once.
   * @throws DomainError if one of them is rejected: then each is saved alone
   */
  save(ctx: InTransaction, values: readonly unknown[], mode: ImportMode): Promise<readonly IdentifiedChange[]>;
}

type ImportKindOf<Schema extends TSchema> = Omit<ImportKind, 'schema' | 'save'> & {
  readonly schema: Schema;
  save(ctx: InTransaction, values: readonly Static<Schema>[], mode: ImportMode): Promise<readonly IdentifiedChange[]>;
};

/** An import kind whose `save` gets values that fit its schema. */
export function defineImportKind<Schema extends TSchema>(kind: ImportKindOf<Schema>): ImportKind {
  return kind as unknown as ImportKind;
}

/**
 * @returns the changes
 * @throws DomainError `invalid_request` if something existed that should be created
 */
export function rejectExisting(changes: readonly IdentifiedChange[], mode: ImportMode): readonly IdentifiedChange[] {
  if (mode === 'create' && changes.some(({ action }) => action !== 'created')) {
    throw invalidRequest('It exists already.');
  }
  return changes;
}
