import { type Issue, segmentOf } from './describe-issues.ts';

/** Whether a text in a JSON value has NUL or half of a pair of surrogates, which PostgreSQL cannot store. */
export const holdsUnwritable = (value: unknown): boolean => findUnwritable(value) !== undefined;

/** The first such text, with its place; that of a name is what has it. */
export function findUnwritable(value: unknown): Issue | undefined {
  if (typeof value === 'string') {
    if (!value.includes('\0') && value.isWellFormed()) return undefined;
    return { path: '', code: 'pattern', detail: 'must not contain a NUL character or half a character' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name in value) {
    const inName = findUnwritable(name);
    if (inName) return inName;
    const issue = findUnwritable((value as Record<string, unknown>)[name]);
    if (issue) return { ...issue, path: segmentOf(name) + issue.path };
  }
  return undefined;
}
