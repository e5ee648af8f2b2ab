import type { Settings } from '#src/domain/settings.ts';
import { issuesOfStore, StoreInput } from '#src/domain/tenants/index.ts';
import { closed, type Static, Type } from '#src/lib/schema.ts';
import { fits, type Issue, issuesOf } from '#src/lib/validation.ts';
import { type Problem, readStoreFile, type StoreFileText } from './read-store-file.ts';
import { under } from './section.ts';
import { sections } from './sections.ts';

const optionalSections = Object.fromEntries(sections.map(({ name, schema }) => [name, Type.Optional(schema)]));

/** The whole file. Unknown fields are errors, because they would be ignored. */
const ClosedStoreFile = closed(Type.Object({ store: StoreInput, ...optionalSections }));

/** What `apply` takes for granted once a file is checked: the store, and sections that are known by their names. */
const CheckedStoreFile = Type.Intersect([
  Type.Object({ store: StoreInput }),
  Type.Record(Type.String(), Type.Unknown()),
]);
export type StoreFile = Static<typeof CheckedStoreFile>;

/** A store file that was read, or everything that is wrong with it, from top to bottom. */
export type LoadedStoreFile =
  | { readonly file: StoreFile; readonly locate: StoreFileText['locate'] }
  | { readonly problems: readonly Problem[] };

const problemsMax = 100;

/** Read and check a store file as far as that is possible without a database. */
export function loadStoreFile(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  settings: Settings,
): LoadedStoreFile {
  const { value, problems: written, locate } = readStoreFile(text, environment);
  if (value === undefined) return { problems: written };

  const issues = [...issuesOf(ClosedStoreFile, value, { max: problemsMax }), ...crossChecks(value, settings)];
  const problems = [...written, ...issues.flatMap((issue) => locate(issue) ?? [])];
  if (problems.length > 0) return { problems: inOrder(problems) };
  if (!fits(CheckedStoreFile, value)) throw new TypeError('A store file that fits its schema fits its parts.');
  return { file: value, locate };
}

function crossChecks(value: unknown, settings: Settings): Issue[] {
  if (typeof value !== 'object' || value === null) return [];
  const given = new Map(Object.entries(value));
  const written = given.get('store');
  const store = fits(StoreInput, written) ? written : undefined;
  return [
    ...(store ? under('/store', issuesOfStore(store, settings)) : []),
    ...sections
      .filter(({ name }) => given.has(name))
      .flatMap(({ name, check }) => under(`/${name}`, check(given.get(name), settings, store?.currency))),
  ];
}

/** From top to bottom, and of several sentences about one place the first. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const place = ({ line, column, field }: Problem) => `${line}:${column}:${field}`;
  return [...Map.groupBy(problems, place).values()]
    .flatMap(([first]) => first ?? [])
    .toSorted((left, right) => left.line - right.line || left.column - right.column);
}
