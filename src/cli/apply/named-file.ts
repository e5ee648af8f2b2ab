import { Failure, type Terminal, UsageError } from '#src/cli/lib/command.ts';
import { openSource } from '#src/cli/lib/files.ts';
import { readConfig } from '#src/config.ts';
import type { Issue } from '#src/lib/validation.ts';
import { findDamage, type Problem } from './read-store-file.ts';
import { type LoadedStoreFile, loadStoreFile, type StoreFile } from './store-file.ts';

/** A valid store file that a call of `apply` names. */
export interface NamedFile {
  /** What it is called in messages. */
  readonly name: string;
  readonly file: StoreFile;
  /** Where in the text these issues are. */
  locate(issues: readonly Issue[]): Problem[];
}

/**
 * Read and check all files of a call.
 * @param paths `-` is standard input
 * @throws Failure that names every place in them that is wrong
 */
export async function loadNamedFiles(paths: readonly string[], terminal: Terminal): Promise<NamedFile[]> {
  if (paths.indexOf('-') !== paths.lastIndexOf('-')) throw new UsageError('apply reads standard input only once.');
  const sources: { name: string; source: Buffer }[] = [];
  for (const path of paths) {
    if (path === '-') sources.push({ name: 'standard input', source: await terminal.readInput() });
    else sources.push({ name: path, source: await readSource(path) });
  }
  const { settings } = readConfig(terminal.environment);
  const load = (source: Buffer): LoadedStoreFile => {
    const damage = findDamage(source);
    return damage ? { problems: [damage] } : loadStoreFile(source.toString(), terminal.environment, settings);
  };

  const files: NamedFile[] = [];
  const problems: NamedProblem[] = [];
  const nameOf = new Map<string, string>();
  for (const { name, source } of sources) {
    const loaded = load(source);
    const wrong = 'problems' in loaded ? loaded.problems : problemsBeside(nameOf, loaded);
    problems.push(...wrong.map((problem) => ({ file: name, ...problem })));
    if ('problems' in loaded || wrong.length > 0) continue;
    nameOf.set(loaded.file.store.slug, name);
    // The parsed text of many files would need much memory, so it is parsed again for the rare file that is rejected.
    const locate = (issues: readonly Issue[]) => {
      const again = load(source);
      return 'problems' in again ? [...again.problems] : issues.flatMap((issue) => again.locate(issue) ?? []);
    };
    files.push({ name, file: loaded.file, locate });
  }
  if (problems.length > 0) throw failureOf(problems, { files: paths.length });
  return files;
}

export interface NamedProblem extends Problem {
  readonly file: string;
}

/**
 * @param files how many the call names: only with several, `problems` say in which of them they are
 * @param unchanged what is as before
 */
export function failureOf(problems: readonly NamedProblem[], { files = 1, unchanged = 'nothing' }): Failure {
  const lines = problems.map(
    ({ file, line, column, field, detail }) => `  ${file}:${line}:${column}  ${field && `${field} `}${detail}`,
  );
  const count = problems.length === 1 ? 'one place' : `${problems.length} places`;
  const subject = files === 1 ? 'The store file has' : 'The store files have';
  return new Failure(
    [`${subject} errors in ${count}; ${unchanged} was changed:`, ...lines].join('\n'),
    files === 1 ? problems.map(({ file: _file, ...problem }) => problem) : problems,
  );
}

/** A copied file whose slug was forgotten would change the store of the other one. */
function problemsBeside(
  nameOf: ReadonlyMap<string, string>,
  { file, locate }: Extract<LoadedStoreFile, { file: StoreFile }>,
): Problem[] {
  const first = nameOf.get(file.store.slug);
  const problem = first && locate({ path: '/store/slug', detail: `is that of ${first}, too` });
  return problem ? [problem] : [];
}

async function readSource(path: string): Promise<Buffer> {
  await using file = await openSource(path);
  return await file.readFile();
}
