import { unpackDebianPackage } from './debian-package.ts';
import { findProgram } from './find-program.ts';

/** The Chromium that this machine has: CHROMIUM_PATH, or the first one in PATH. */
export function findChromium(): string | undefined {
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
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error);
    throw new Error(
      `No Chromium is in PATH, and Debian's could not be unpacked: ${reason}\n` +
        'Install it with: sudo apt-get install --yes --no-install-recommends chromium',
      { cause: error },
    );
  }
}
