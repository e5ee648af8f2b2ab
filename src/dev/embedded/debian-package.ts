import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { findProgram, versionOf } from './find-program.ts';

const execute = promisify(execFile);
const unpackTimeoutMs = 10 * 60_000;

/** The machine's fonts and those unpacked with the program: a browser without any crashes. */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">root/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * Get a program from a Debian package without installing it: apt downloads the package and the
 * dependencies that this machine lacks, and they are unpacked in a cache folder. It needs no root,
 * changes nothing outside that folder and starts no service. `program` is the program's path within
 * the package, in which `*` stands for a version. A second program of one package is cached under
 * another name.
 *
 * @returns the path of a launcher that sets the library path and executes the program
 */
export async function unpackDebianPackage(name: string, program: string, cachedAs = name): Promise<string> {
  const cached = join(await cacheFolder(), `${cachedAs}-${process.arch}`);
  const launcher = join(cached, 'launcher');
  if (await versionOf(launcher)) return launcher;
  if (!findProgram(['apt-get']) || !findProgram(['dpkg-deb'])) throw new Error('this is not a Debian system');

  const work = await mkdtemp(`${cached}.`);
  try {
    await download(name, work);
    await unpack(work);
    await writeLauncher(work, program);
    if (!(await versionOf(join(work, 'launcher')))) throw new Error(`Debian's ${name} does not run here`);
    await place(work, cached);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return launcher;
}

/** `node_modules/.cache/storefront`, or a private temporary folder. */
async function cacheFolder(): Promise<string> {
  const inModules = fileURLToPath(new URL('../../../node_modules/.cache/storefront', import.meta.url));
  try {
    await mkdir(inModules, { recursive: true });
    return inModules;
  } catch {
    // A read-only checkout.
    const inTemporary = join(tmpdir(), `storefront-cache-${process.getuid?.() ?? 0}`);
    await mkdir(inTemporary, { recursive: true, mode: 0o700 });
    return inTemporary;
  }
}

/** Download with the machine's package lists, or with a new copy where those are missing or stale. */
async function download(name: string, work: string): Promise<void> {
  const install = ['install', '--download-only', '--yes', '--no-install-recommends', name];
  const ownLists = [`Dir::State::lists=${work}/lists`];
  await mkdir(join(work, 'archives', 'partial'), { recursive: true });
  try {
    await apt(work, install);
  } catch {
    await mkdir(join(work, 'lists', 'partial'), { recursive: true });
    await apt(work, ['update'], ownLists);
    await apt(work, install, ownLists);
  }
}

async function apt(work: string, command: string[], more: string[] = []): Promise<void> {
  const options = [
    `Dir::Cache=${work}`,
    `Dir::Cache::archives=${work}/archives`,
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
    // Nothing is installed, so the locks that only root can take are not needed.
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
    'Acquire::Retries=2',
    'Acquire::http::Timeout=30',
    ...more,
  ];
  const args = [...options.flatMap((option) => ['-o', option]), ...command];
  try {
    await execute('apt-get', args, { timeout: unpackTimeoutMs, maxBuffer: 1 << 24 });
  } catch (cause) {
    const printed = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new Error(`apt-get ${command[0]}: ${printed.split('\n').at(-1) || 'failed'}`, { cause });
  }
}

async function unpack(work: string): Promise<void> {
  const archives = (await readdir(join(work, 'archives'))).filter((file) => file.endsWith('.deb'));
  for (const archive of archives) {
    await execute('dpkg-deb', ['--extract', join(work, 'archives', archive), join(work, 'root')]);
  }
  for (const folder of ['archives', 'lists']) await rm(join(work, folder), { recursive: true, force: true });
}

async function writeLauncher(work: string, pattern: string): Promise<void> {
  const [program = pattern] = globSync(pattern, { cwd: join(work, 'root') });
  const libraries = await libraryFolders(join(work, 'root'));
  const folders = libraries.map((folder) => `$here/${relative(work, folder)}`);
  const script = [
    '#!/bin/sh',
    'here=$(dirname "$(readlink -f "$0")")',
    `export LD_LIBRARY_PATH="${folders.join(':')}"`,
    'export FONTCONFIG_FILE="$here/fonts.conf"',
    `exec "$here/root/${program}" "$@"`,
  ];
  await writeFile(join(work, 'launcher'), `${script.join('\n')}\n`);
  await chmod(join(work, 'launcher'), 0o755);
  await writeFile(join(work, 'fonts.conf'), fontConfiguration);
}

async function libraryFolders(root: string): Promise<string[]> {
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const libraries = files.filter(({ name }) => /\.so(\.|$)/.test(name));
  return [...new Set(libraries.map(({ parentPath }) => parentPath))].sort();
}

/** Put the new folder in place atomically, unless another process did so before and its copy runs. */
async function place(work: string, cached: string): Promise<void> {
  await chmod(work, 0o755);
  try {
    await rename(work, cached);
  } catch {
    if (await versionOf(join(cached, 'launcher'))) return;
    await rm(cached, { recursive: true, force: true });
    await rename(work, cached);
  }
}
