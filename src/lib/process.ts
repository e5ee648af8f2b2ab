import { seconds } from './duration.ts';
import type { Log } from './log.ts';

/** A process that is up. */
export interface Running {
  /** Stops the process's work, in time. */
  stop(): Promise<void>;
  readonly log: Log;
}

/** Heroku kills a process 30 seconds after its signal. */
const stopMaxMs = seconds(28);
/** How long a process waits at its end until the last lines of its log are written. */
const flushMaxMs = seconds(1);

/**
 * Start, run until SIGTERM or SIGINT, then stop and exit 0. A signal that comes before the start is over ends the
 * process at once, with 0 as well: it has taken on nothing yet. A second one ends it with 1 wherever it is, and so does
 * a stop that takes too long.
 *
 * @param start loads what the process is made of, too: before this is called a signal would end it as a failure
 */
export async function runUntilSignalled(start: () => Promise<Running>): Promise<void> {
  let running: Running | undefined;
  let isStopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (!running) process.exit(0);
    const { log } = running;
    if (isStopping) return exitLogged(log, 1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error({ signal, stopMaxMs }, 'shutdown took too long');
      exitLogged(log, 1);
    }, stopMaxMs);
    running.stop().then(
      () => {
        log.info({ signal }, 'stopped');
        exitLogged(log, 0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        exitLogged(log, 1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  try {
    running = await start();
  } catch (error) {
    exitWithStartupError(error);
  }
}

/**
 * Exit with this code once the log is written. While its output is not read, that takes for ever, and so would the exit:
 * then the process kills itself.
 */
function exitLogged(log: Log, code: number): void {
  if (!log.flush) process.exit(code);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), flushMaxMs);
  log.flush(() => process.exit(code));
}

/** Explain a failed start in one line and exit with 1; a stack is printed only for unexpected errors. */
function exitWithStartupError(error: unknown): never {
  const foreseen = error instanceof Error && ['ConfigError', 'UnfitDatabase'].includes(error.name);
  process.stderr.write(`${foreseen ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
