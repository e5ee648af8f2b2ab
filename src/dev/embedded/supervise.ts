import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { within } from '#src/lib/within.ts';

/** An account of this machine. */
export interface Account {
  uid: number;
  gid: number;
}

export interface Command {
  program: string;
  args: string[];
  /** The account to run it as; the default is our own. */
  account?: Account | undefined;
  /** A signal that ends it fast; its data is discarded. */
  stopSignal?: NodeJS.Signals;
}

export type Order = Command | { signal: NodeJS.Signals };

export interface Supervisor {
  /** This service's own part of the private folder. */
  folder: string;
  /** Runs a command to its end; throws with what it printed when it fails, or does not end. */
  run(command: Command): Promise<void>;
  /** Starts a server and waits until it is ready; throws with its log when it ends before that. */
  serve(command: Command, ready: () => Promise<boolean>): Promise<void>;
  /** Sends the server a signal and waits until it has ended; its folder stays. Throws with its log when it does not. */
  interrupt(signal: NodeJS.Signals): Promise<void>;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000;
const endTimeoutMs = 60_000;
const commandTimeoutMs = 180_000;

/**
 * Starts a supervisor: a small detached process that runs one server in `folder/name`. It ends the
 * server and removes that folder (and `folder`, if nothing else is left in it) on `stop` and
 * when the calling process ends, however that happens. It does not prevent the caller from exiting.
 */
export function supervise(folder: string, name: string): Supervisor {
  const part = join(folder, name);
  mkdirSync(part, { recursive: true, mode: 0o700 });
  const logFile = join(part, `${name}.log`);
  const child = forkSupervisor(part, logFile);
  let stopped: Promise<unknown> | undefined;

  const failure = (program: string, what: string) => new Error(`${basename(program)} ${what}:\n${lastLines(logFile)}`);

  return {
    folder: part,
    async run(command) {
      const ended = nextReport(child);
      child.send(command);
      const code = await within(commandTimeoutMs, ended);
      if (code !== 0) throw failure(command.program, code === undefined ? 'did not end' : 'failed');
    },
    async serve(command, ready) {
      keepAlive(child);
      let ended = false;
      void nextReport(child).then(() => (ended = true));
      child.send(command);
      const deadline = performance.now() + startTimeoutMs;
      while (!(await ready())) {
        if (ended) throw failure(command.program, 'ended before it was ready');
        if (performance.now() > deadline) throw failure(command.program, 'did not become ready');
        await pause(10);
      }
      allowExit(child);
    },
    async interrupt(signal) {
      keepAlive(child);
      const ended = nextReport(child);
      child.send({ signal } satisfies Order);
      if ((await within(endTimeoutMs, ended)) === undefined) throw failure(name, `did not end after ${signal}`);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      stopped ??= once(child, 'exit');
      keepAlive(child);
      if (child.connected) child.disconnect();
      await stopped;
    },
  };
}

function forkSupervisor(part: string, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  const child = fork(fileURLToPath(new URL('./supervisor.ts', import.meta.url)), [part], {
    // A session of its own, so that Ctrl-C in the caller's terminal does not reach it.
    detached: true,
    cwd: '/',
    env: {},
    execArgv: [],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  return child;
}

/** While we wait for its report, the supervisor has to keep our event loop alive; afterwards it must not. */
function keepAlive(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function allowExit(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** The exit code of the command in hand; null when a signal or the end of the supervisor ended it. */
async function nextReport(child: ChildProcess): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const onMessage = ({ code }: { code: number | null }) => resolve(code);
  const onExit = () => resolve(null);
  child.once('message', onMessage);
  child.once('exit', onExit);
  const code = await promise;
  child.off('message', onMessage);
  child.off('exit', onExit);
  return code;
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}
