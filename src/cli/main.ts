import { commands } from './commands.ts';
import { runCommands } from './lib/run-commands.ts';

/* What an operator does by hand: `npm run cli -- <command>`. */
const streams = { in: process.stdin, out: process.stdout, err: process.stderr };
process.exitCode = await runCommands(commands, process.argv.slice(2), process.env, streams);
