/**
 * Caches text for a limited time. An entry may disappear at any moment: the cache only saves loading it again.
 */
export interface Cache {
  /**
   * Returns the text cached under `key`, or loads and caches it. Concurrent calls for one key in one process share one
   * call of `load`. An error of `load` is thrown to all of them and is not cached.
   */
  getOrLoad(
    key: string,
    ttlMs: number,
    load: () => Promise<string>,
  ): Promise<{ readonly text: string; readonly isCached: boolean }>;
}
