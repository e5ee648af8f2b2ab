/** A field's value before and after. */
export type FieldValues = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** What saving something from a store file or the owner's side changed: for the diff and the audit log. */
export interface Change {
  /** What was saved, as its owner calls it: `product oak-bowl`. */
  readonly subject: string;
  readonly action: 'created' | 'updated' | 'unchanged' | 'removed';
  /** The names of the fields that changed: all that the audit log is told. */
  readonly fields: readonly string[];
  /** What those of them that are no secret were and are, by their names. */
  readonly values?: FieldValues;
}
