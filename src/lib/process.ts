/**
 * Run until SIGTERM or SIGINT, then `stop` and exit 0. Heroku kills 30 seconds after the signal, so whatever `stop`
 * does has to end by itself before. A second signal ends the process at once.
 */
export function runUntilSignalled(stop: () => Promise<void>, onError: (error: unknown) => void): void {
  let stopping = false;
  const handle = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        onError(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}

/** Explain a failed start in one line each and exit 1; a stack only for what nobody foresaw. */
export function refuseToStart(error: unknown): never {
  const foreseen = error instanceof Error && ['ConfigError', 'UnfitDatabase'].includes(error.name);
  process.stderr.write(`${foreseen ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
