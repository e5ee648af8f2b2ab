import { commands } from './commands.ts';
import { runCommands } from './lib/run-commands.ts';
import { findRunningStack } from './lib/running-stack.ts';

/* What an operator does by hand: `npm run cli -- <command>`. Beside `npm run dev`, on what that has running. */
// The reader of a pipe may stop early: `npm run cli -- openapi | head`. What was not done by then is a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 1);
  process.stderr.write(`The output cannot be written: ${error.message}.\n`);
  process.exit(1);
});

// npm runs a script in the folder of its package. Files are meant from where it was called.
const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
if (script === 'cli' && folder) process.chdir(folder);

const streams = { in: process.stdin, out: process.stdout, err: process.stderr };
const isLocated = process.env['DATABASE_URL'] !== undefined;
const environment = isLocated ? process.env : { ...findRunningStack(), LOG_LEVEL: undefined, ...process.env };
process.exitCode = await runCommands(commands, process.argv.slice(2), environment, streams);
