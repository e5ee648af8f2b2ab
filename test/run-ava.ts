import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';

import { bundlePackages } from '#test/support/bundle-packages.ts';
import { writeThreads } from '#test/support/threads/write-threads.ts';

export interface Tally {
  passed: number;
  failed: number;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const heartbeatMs = 20_000;
/** Eleven minutes, longer than any test of a whole run may take. With arguments, one may run for hours. */
const silentHeartbeatsMax = 33;
/** How long after AVA has ended its last lines are read. */
const lastLinesMs = 2_000;
const passedLine = /^ {2}[✔√] (?!\[expected fail\])/;
const failedLine = /^ {2}([✘×✖] |Uncaught exception in |Unhandled rejection in )/;

/**
 * Runs ava with these arguments, or all tests, several files in a thread; a run that ends badly without a failed test
 * counts as one.
 */
export async function runAva(args: string[], environment: NodeJS.ProcessEnv): Promise<Tally> {
  const quickly = new URL(import.meta.resolve('#test/support/resolve-directly.ts'));
  const leaks = import.meta.resolve('#test/support/fail-on-leaks.ts');
  const roomy = `--import=${import.meta.resolve('#test/support/enlarge-young-generation.ts')}`;
  const [version] = await Promise.all([bundlePackages(), stripSources()]);
  quickly.searchParams.set('packages', version);
  if (args.length === 0) quickly.searchParams.set('threads', '');
  // More than there are processors, since some files wait for processes that they start.
  const flags = [`--concurrency=${Math.min(8, 2 * availableParallelism())}`];
  if (process.stdout.isTTY) flags.push('--color');
  const program = join(root, 'node_modules/ava/entrypoints/cli.js');
  const ava = spawn(process.execPath, [roomy, program, ...flags, ...(args.length > 0 ? args : writeThreads())], {
    cwd: root,
    env: {
      ...process.env,
      // So that a test which starts `node` gets this one.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      NODE_ENV: 'test',
      LOCAL_MODE: '1',
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/storefront/compiled'),
      NODE_OPTIONS: [process.env['NODE_OPTIONS'], ...[quickly, leaks].map((url) => `--import=${url}`)].join(' '),
      ...environment,
    },
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ava.kill(signal));
  const ended = once(ava, 'exit');
  const lines = createInterface({ input: ava.stdout });
  // A process that a test left behind may hold the other end for ever.
  const leave = () => {
    lines.close();
    ava.stdout.destroy();
  };
  void ended.then(() => setTimeout(leave, lastLinesMs));
  const heartbeatsMax = args.length === 0 ? silentHeartbeatsMax : Infinity;
  const tally = await print(lines, new SilenceLimit(heartbeatsMax, (signal) => ava.kill(signal)));
  const [code, signal] = await ended;
  if (signal) console.log(`The tests were ended by ${signal}.`);
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
}

/** In a process of its own, which does not warn that Node.js may yet change how it is asked for this. */
async function stripSources(): Promise<void> {
  const program = fileURLToPath(import.meta.resolve('#test/support/strip-sources.ts'));
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', program]);
}

/**
 * Ends AVA once it reported no result for so many heartbeats: first so that it lists the tests that have not ended, at
 * the next one by force. AVA's own time limit does not suffice: where it expires while a test has a longer one, it has
 * no effect, and is not set again.
 */
export class SilenceLimit {
  readonly #heartbeatsMax: number;
  readonly #end: (signal: 'SIGINT' | 'SIGKILL') => void;
  #heartbeats = 0;

  constructor(heartbeatsMax: number, end: (signal: 'SIGINT' | 'SIGKILL') => void) {
    this.#heartbeatsMax = heartbeatsMax;
    this.#end = end;
  }

  onResult(): void {
    this.#heartbeats = 0;
  }

  onHeartbeat(): void {
    this.#heartbeats += 1;
    if (this.#heartbeats === this.#heartbeatsMax) this.#end('SIGINT');
    if (this.#heartbeats > this.#heartbeatsMax) this.#end('SIGKILL');
  }
}

/**
 * Prints ava's report without the tests that passed, and counts: each line with a cross, before the
 * rule that opens the details, is a failed test or a file that crashed, timed out or has no tests.
 */
async function print(lines: AsyncIterable<string>, silence: SilenceLimit): Promise<Tally> {
  const tally = { passed: 0, failed: 0 };
  const heartbeat = setInterval(() => {
    console.log(`  … ${tally.passed} passed so far`);
    silence.onHeartbeat();
  }, heartbeatMs);
  let details = false;
  let hidden = '';
  for await (const line of lines) {
    const plain = stripVTControlCharacters(line);
    details ||= /^ {2}[─-]$/.test(plain);
    const isPass = !details && passedLine.test(plain);
    const isFailure = !details && failedLine.test(plain);
    if (isPass) tally.passed += 1;
    if (isFailure) tally.failed += 1;
    if (isPass || isFailure) silence.onResult();
    // A passed test that logged something is worth its line after all.
    if (hidden && /^ {4}\S/.test(plain)) console.log(hidden);
    hidden = isPass ? line : '';
    if (!isPass) console.log(line);
  }
  clearInterval(heartbeat);
  return tally;
}
