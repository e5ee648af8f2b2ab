import { readFileSync, renameSync, rmSync } from 'node:fs';

/** Whether what is in this folder was built from the sources with this digest. */
export function isBuiltFrom(digest: string, folder: string): boolean {
  try {
    return readFileSync(`${folder}/digest`, 'utf8') === digest;
  } catch {
    return false;
  }
}

/**
 * Put a finished build where it is served. If another process has put one there meanwhile that is the same, that stays:
 * it may be read already.
 */
export function putInPlace(finished: string, folder: string, digest: string): void {
  if (move(finished, folder)) return;
  if (!isBuiltFrom(digest, folder)) {
    const replaced = `${finished}-replaced`;
    move(folder, replaced);
    move(finished, folder);
    rmSync(replaced, { recursive: true, force: true });
  }
  rmSync(finished, { recursive: true, force: true });
}

/** @returns whether it was moved: it may be gone, and another may be there already */
function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}
