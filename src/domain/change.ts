/** A field's value before and after. */
export type FieldValues = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** What saving something from a store file or the admin API changed, for the diff and the audit log. */
export interface Change {
  /** What was saved, by the name that its owner uses: `product oak-bowl`. */
  readonly subject: string;
  readonly action: 'created' | 'updated' | 'unchanged' | 'removed';
  /** The names of the changed fields. The audit log records these only. */
  readonly fields: readonly string[];
  /** The values of those that are no secret. */
  readonly values?: FieldValues;
}
