/** One event a line: its fields first, then a short phrase. Errors are logged by the edge, once. */
export interface Log {
  debug(fields: object, phrase: string): void;
  info(fields: object, phrase: string): void;
  warn(fields: object, phrase: string): void;
  error(fields: object, phrase: string): void;
  /** Write what waits, then call this. A log without it writes each line at once. */
  flush?(written: () => void): void;
}

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
