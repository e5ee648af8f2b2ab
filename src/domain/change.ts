/** What saving something from a store file or the owner's side changed: for the diff and the audit log. */
export interface Change {
  /** What was saved, as its owner calls it: `product oak-bowl`. */
  readonly subject: string;
  readonly action: 'created' | 'updated' | 'unchanged' | 'removed';
  /** The names of the fields that changed. Never values: some are secret. */
  readonly fields: readonly string[];
}
