import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How many statements processes send to PostgreSQL that are started with this environment. */
export interface StatementCount {
  readonly environment: Readonly<Record<string, string>>;
  /** Of all of them, as it was a moment ago. */
  read(): number;
  end(): void;
}

export function countStatementsSent(): StatementCount {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-bench-'));
  const preload = fileURLToPath(new URL('./sent-statements.ts', import.meta.url));
  return {
    environment: { COUNT_STATEMENTS_IN: folder, NODE_OPTIONS: `--import ${preload}` },
    read: () => readdirSync(folder).reduce((sum, file) => sum + Number(readFileSync(join(folder, file), 'utf8')), 0),
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * The processor time that a process and its children that ended have used, in milliseconds, in Linux's steps of ten.
 */
export function processorMsOf(pid: number): number {
  return (
    10 *
    statOf(pid)
      .slice(11, 15)
      .reduce((sum, ticks) => sum + Number(ticks), 0)
  );
}

/** The same with the children that run: PostgreSQL is many processes. */
export function processorMsOfFamily(pid: number): number {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid);
  return [pid, ...children.map(Number)].reduce((sum, member) => sum + processorMsOf(member), 0);
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** The fields of a process in /proc from its state on; empty when it has ended. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}

/** Note the peak of the memory of each of these processes, those included that are started or end meanwhile. */
export function watchMemory(processes: ReadonlyMap<string, { readonly pid: number }>): { end(): string } {
  const peaks = new Map<string, number>();
  const note = () => {
    for (const [name, { pid }] of processes) peaks.set(name, Math.max(peaks.get(name) ?? 0, residentPeakOf(pid)));
  };
  const watching = setInterval(note, 500);
  return {
    end() {
      clearInterval(watching);
      note();
      return [...peaks].map(([name, bytes]) => `${name} ${Math.round(bytes / 2 ** 20)} MB`).join(', ');
    },
  };
}

/** 0 when it has ended, and where there is no /proc. */
function residentPeakOf(pid: number): number {
  try {
    return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
