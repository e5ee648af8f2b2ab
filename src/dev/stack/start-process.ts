import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** One process of the product, as a Procfile would start it. */
export interface StackProcess {
  readonly name: string;
  readonly pid: number;
  /** The last lines of its log, oldest first. */
  readonly logged: readonly string[];
  /** Resolves with its signal or exit code when it ends without having been stopped here. */
  readonly died: Promise<string>;
  /** Resolves with the first log line that has this phrase. */
  waitFor(phrase: string): Promise<void>;
  /** Returns its exit code, or null when the signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** SIGTERM, then SIGKILL when that takes too long. */
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The options of Node.js that the Procfile starts each process with. */
const nodeOptions =
  /^web: node (.+) src\/server\.ts$/m.exec(readFileSync(`${root}/Procfile`, 'utf8'))?.[1]?.split(' ') ?? [];
const preload = fileURLToPath(new URL('./end-with-parent.ts', import.meta.url));
const startTimeoutMs = 120_000;
const stopTimeoutMs = 10_000;
const retryMs = 2000;

/**
 * Start `entry` with this environment and no other. It stops when this process does, even by kill -9.
 *
 * @param folder of the release that it belongs to; the default is this one
 */
export function startProcess(
  name: string,
  entry: string,
  environment: Record<string, string>,
  folder = root,
): StackProcess {
  const child = spawn(process.execPath, [...nodeOptions, '--import', preload, entry], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'close');
  let isStopped = false;
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const seen: string[] = [];
  lines.on('line', (line) => {
    seen.push(line);
    if (seen.length > 200) seen.shift();
  });
  const complaints: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    if (complaints.length < 20) complaints.push(chunk.toString());
  });

  return {
    name,
    pid: child.pid ?? 0,
    logged: seen,
    died: new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        if (!isStopped) resolve(signal ?? `exit code ${code}`);
      });
    }),
    async waitFor(phrase) {
      const timeout = AbortSignal.timeout(startTimeoutMs);
      while (!seen.some((line) => line.includes(`"${phrase}"`))) {
        const next = once(lines, 'line', { signal: timeout });
        const [happened] = await Promise.race([next, ended.then(() => ['ended'])]);
        if (happened === 'ended')
          throw new Error(
            `${name} ended (${child.signalCode ?? child.exitCode}):\n${complaints.join('')}${seen.slice(-20).join('\n')}`,
          );
      }
    },
    async kill(signal) {
      isStopped = true;
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
    stop() {
      isStopped = true;
      return stop(child, ended);
    },
  };
}

/**
 * Start a process, and start it again whenever it ends by itself, as a platform does. One that cannot start although
 * PostgreSQL responds stays ended.
 *
 * @param report called with what happened
 * @param isDatabaseThere whether PostgreSQL responds
 */
export async function restartOnExit(
  start: () => Promise<StackProcess>,
  report: (message: string) => void,
  isDatabaseThere: () => Promise<boolean>,
): Promise<void> {
  const { name, died } = await start();
  const restart = async (how: string): Promise<void> => {
    if (await isDatabaseThere()) report(`${name} ended (${how}) and is started again.`);
    else {
      report(`${name} ended (${how}) and is started again when PostgreSQL responds.`);
      do await pause(retryMs);
      while (!(await isDatabaseThere()));
    }
    try {
      await restartOnExit(start, report, isDatabaseThere);
    } catch (error) {
      if (await isDatabaseThere()) throw error;
      await restart('while it started');
    }
  };
  void died.then(restart).catch((error: Error) => report(error.message));
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}
