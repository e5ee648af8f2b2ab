/** A field's value before and after. */
export type FieldValues = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** What saving something from a store file or the admin API changed, for the diff and the audit log. */
export interface Change {
  /** The id of what was saved, if it has one: the audit log lists its changes by it. */
  readonly id?: string;
  /** What was saved, by the name that its owner uses: `product oak-bowl`. */
  readonly subject: string;
  readonly action: 'created' | 'updated' | 'unchanged' | 'removed';
  /** The names of the changed fields. The audit log records these only. */
  readonly fields: readonly string[];
  /** The values of those that are no secret. */
  readonly values?: FieldValues;
}

/** A change of something that has an id. */
export interface IdentifiedChange extends Change {
  readonly id: string;
}
