/**
 * Remembers answers for a while. What is remembered may be gone at any moment: it only saves asking again.
 */
export interface Cache {
  /**
   * What is remembered under `key`, or else what `load` answers. Several who ask at once in one process share one
   * call of `load`; what it throws is remembered by nobody.
   */
  remember(
    key: string,
    ttlMs: number,
    load: () => Promise<string>,
  ): Promise<{ readonly text: string; readonly remembered: boolean }>;
}
