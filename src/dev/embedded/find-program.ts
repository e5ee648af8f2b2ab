import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The first of these programs that is in PATH, the names tried in the order given. */
export function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** What a program prints for `--version`; undefined when it does not run here. */
export async function versionOf(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await execute(program, ['--version'], { timeout: 30_000 });
    return stdout.trim();
  } catch {
    // Missing, for another platform, or without its libraries: it does not run.
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there.
    return false;
  }
}
