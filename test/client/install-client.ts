import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** An empty project into which the client was installed from its tarball. */
export interface Project {
  readonly folder: string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Check the types of every file, as strictly as a careful team would. */
  checkTypes(): Promise<void>;
  /** Run a file with Node.js, and return what it prints. */
  run(file: string): Promise<string>;
  remove(): Promise<void>;
}

/** The packages that the client needs, and theirs. No registry is asked for them: they are packed from node_modules. */
const dependencies = [
  'openapi-fetch',
  'openapi-typescript-helpers',
  'standardwebhooks',
  '@stablelib/base64',
  'fast-sha256',
];

export async function installClient(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-client-'));
  const packages = join(folder, 'packages');
  await mkdir(packages);
  const destination = ['--pack-destination', packages];
  await Promise.all([
    execute('npm', ['run', 'client:pack', '--', ...destination], { cwd: root }),
    execute(
      'npm',
      ['pack', '--ignore-scripts', ...destination, ...dependencies.map((name) => `./node_modules/${name}`)],
      {
        cwd: root,
      },
    ),
  ]);
  const tarballs = await readdir(packages);
  const fileOf = (name: string) => {
    const prefix = `${name.replace('@', '').replace('/', '-')}-`;
    const file = tarballs.find((tarball) => tarball.startsWith(prefix) && /^\d/.test(tarball.slice(prefix.length)));
    return `file:packages/${file}`;
  };
  const overrides = Object.fromEntries(dependencies.map((name) => [name, fileOf(name)]));
  const client = '@storefront-commerce/client';
  const manifest = { type: 'module', dependencies: { ...overrides, [client]: fileOf(client) }, overrides };
  const write: Project['write'] = async (files) => {
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  };
  await write({ 'package.json': JSON.stringify(manifest), 'tsconfig.json': JSON.stringify(tsconfig) });
  await execute('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  // The types of Node.js come with another package in a real project.
  await symlink(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  return {
    folder,
    write,
    async checkTypes() {
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      await execute(process.execPath, [tsc, '--project', folder]).catch(({ stdout }) => {
        throw new Error(stdout);
      });
    },
    async run(file) {
      const { stdout } = await execute(process.execPath, [file], { cwd: folder, env: { PATH: process.env['PATH'] } });
      return stdout;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
  },
  include: ['*.ts'],
};
