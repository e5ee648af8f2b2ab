import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the repository and its imports: files by path from the root, packages by name. */
export interface Source {
  path: string;
  text: string;
  imports: readonly Import[];
}

export interface Import {
  path?: string;
  package?: string;
  typeOnly: boolean;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const importStatement = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

/** Every TypeScript file of the product, read once. Explicit extensions make a specifier a path. */
export const sources = readSources('{src,workers,jobs,migrations}/**/*.{ts,tsx}');

/** Every TypeScript file of the tests. */
export const testSources = readSources('test/**/*.ts');

function readSources(pattern: string): readonly Source[] {
  return globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', 'src/client/dist/**', 'src/console/dist*/**'] })
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, imports: importsOf(path, text) };
    });
}

function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(importStatement)].flatMap((match): Import[] => {
    const specifier = match[2] ?? match[3] ?? '';
    const typeOnly = match[1] !== undefined;
    if (specifier.startsWith('#')) return [{ path: specifier.slice(1), typeOnly }];
    if (specifier.startsWith('.')) return [{ path: relative(root, join(root, dirname(path), specifier)), typeOnly }];
    if (specifier.startsWith('node:')) return [];
    return [
      {
        package: specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
        typeOnly,
      },
    ];
  });
}
