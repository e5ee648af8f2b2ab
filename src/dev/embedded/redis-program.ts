import { unpackDebianPackage } from './debian-package.ts';
import { findProgram, versionOf } from './find-program.ts';
import { aptInstall, MissingProgramError } from './missing-program-error.ts';

/**
 * A Redis or Valkey server of version 6.2 or newer: the machine's own, else Debian's, unpacked but
 * not installed. Throws with the one command that would install it.
 */
export async function redisProgram(): Promise<string> {
  for (const name of ['redis-server', 'valkey-server']) {
    const program = findProgram([name]);
    if (program && (await isRecent(program))) return program;
  }
  try {
    const program = await unpackDebianPackage('redis-server', 'usr/bin/redis-server');
    if (await isRecent(program)) return program;
    throw new Error("Debian's redis-server is older than 6.2");
  } catch (cause) {
    const install = process.platform === 'darwin' ? 'brew install redis' : aptInstall('redis-server');
    const what = 'No redis-server or valkey-server (6.2 or newer) is in PATH';
    throw new MissingProgramError(what, { install, cause });
  }
}

async function isRecent(program: string): Promise<boolean> {
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec((await versionOf(program)) ?? '') ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 2);
}
