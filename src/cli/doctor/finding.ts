/** The result of one check. */
export interface Finding {
  /** What was checked: `database role`. */
  readonly about: string;
  /** The store that it is about, where it is about one. */
  readonly store?: string | undefined;
  /** `fault` has to be put right; `warning` is well to know. */
  readonly level: 'ok' | 'warning' | 'fault';
  readonly message: string;
  /** What to do. */
  readonly advice?: string;
}

export const ok = (about: string, message: string): Finding => ({ about, level: 'ok', message });
export const warning = (about: string, message: string, advice: string): Finding => ({
  about,
  level: 'warning',
  message,
  advice,
});
export const fault = (about: string, message: string, advice: string): Finding => ({
  about,
  level: 'fault',
  message,
  advice,
});
