import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file in which `npm run dev` publishes the environment of its processes, for the command line. */
const announcement = fileURLToPath(new URL('../../../node_modules/.cache/storefront/dev.json', import.meta.url));

interface Announced {
  readonly pid: number;
  readonly environment: Record<string, string>;
}

/** Let the command line of this checkout find the stack, until `unpublish` is called or this process ends. */
export function announceStack(
  environment: Readonly<Record<string, string>>,
  file = announcement,
): { unpublish(): void } {
  mkdirSync(dirname(file), { recursive: true });
  const announced = { pid: process.pid, environment };
  // Its keys open nothing but this stack; they are for this account alone all the same.
  writeFileSync(file, JSON.stringify(announced), { mode: 0o600 });
  return {
    unpublish() {
      if (read(file)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** The environment of the stack that `npm run dev` of this checkout has running; undefined where none is. */
export function findRunningStack(file = announcement): Readonly<Record<string, string>> | undefined {
  const announced = read(file);
  return announced && isAlive(announced.pid) ? announced.environment : undefined;
}

function read(file: string): Announced | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
