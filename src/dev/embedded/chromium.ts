import { unpackDebianPackage } from './debian-package.ts';
import { findProgram } from './find-program.ts';
import { aptInstall, MissingProgramError } from './missing-program-error.ts';

/** The Chromium that this machine has: CHROMIUM_PATH, or the first one in PATH. */
function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || findProgram(['chromium', 'chromium-browser', 'google-chrome']);
}

/**
 * A Chromium to run browser tests with: this machine's, else Debian's, unpacked but not installed
 * (some 400 MB, once). Throws with the one command that would install it.
 */
export async function ensureChromium(): Promise<string> {
  const found = findChromium();
  if (found) return found;
  try {
    return await unpackDebianPackage('chromium', 'usr/lib/chromium/chromium');
  } catch (cause) {
    throw new MissingProgramError('No Chromium is in PATH', { install: aptInstall('chromium'), cause });
  }
}
