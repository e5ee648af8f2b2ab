/** One thing that was looked at. */
export interface Finding {
  /** What was looked at: `database role`. */
  readonly about: string;
  /** The store that it is about, where it is about one. */
  readonly store?: string | undefined;
  /** `fault` has to be put right; `warning` is well to know. */
  readonly level: 'ok' | 'warning' | 'fault';
  readonly sentence: string;
  /** What to do. */
  readonly advice?: string;
}

export const ok = (about: string, sentence: string): Finding => ({ about, level: 'ok', sentence });
export const warning = (about: string, sentence: string, advice: string): Finding => ({
  about,
  level: 'warning',
  sentence,
  advice,
});
export const fault = (about: string, sentence: string, advice: string): Finding => ({
  about,
  level: 'fault',
  sentence,
  advice,
});
