import { type Ended, runEntry } from './run-entry.ts';

export { callCli } from '#src/dev/stack/run-cli.ts';

/** Call the command line as an operator does: as a process of its own. */
export function runCli(words: readonly string[], environment: Record<string, string>, input?: string): Promise<Ended> {
  return runEntry('src/cli/main.ts', words, environment, input);
}
