import { type FileHandle, open } from 'node:fs/promises';
import { codeOf } from '#src/lib/errors.ts';
import { UsageError } from './command.ts';

/**
 * Open a file that the caller named.
 * @throws UsageError that says why it cannot be read
 */
export function openSource(path: string): Promise<FileHandle> {
  return explained(`${path} cannot be read`, async () => {
    const file = await open(path);
    if (!(await file.stat()).isDirectory()) return file;
    await file.close();
    throw Object.assign(new Error(), { code: 'EISDIR' });
  });
}

/**
 * Before long work: whether its result can be written to this file. What is in it stays.
 * @throws UsageError that says why not
 */
export async function checkTarget(path: string): Promise<void> {
  const file = await explained(`${path} cannot be written`, () => open(path, 'a'));
  await file.close();
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'no such file or folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

async function explained<Result>(problem: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : '';
    throw new UsageError(`${problem}: ${reasons[code] ?? code}.`);
  }
}
