import { columns } from '#src/cli/lib/columns.ts';
import type { Report } from '#src/cli/lib/command.ts';
import type { Change } from '#src/domain/change.ts';
import { oneLine } from '#src/lib/one-line.ts';
import type { Applied } from './apply-store.ts';

const signs: Readonly<Record<Change['action'], string>> = { created: '+', updated: '~', removed: '-', unchanged: ' ' };

/** The changes of a run of `apply`, for people and for machines. */
export function reportApplied({ store, dryRun, changes, keys, notes }: Applied): Report {
  const made = changes.filter(({ action }) => action !== 'unchanged');
  return {
    data: { store, dry_run: dryRun, changes: made, unchanged: changes.length - made.length, keys, notes },
    lines: [
      ...made.flatMap(describeChange),
      summarise(changes),
      ...(dryRun && made.length > 0 ? ['Dry run: nothing was changed.'] : []),
      ...(keys.length > 0 ? ['', 'New keys. Their values are shown only once:'] : []),
      ...columns(keys.map(({ name, value }) => [`  ${name}`, value])),
      ...notes.flatMap((note) => ['', note]),
    ],
  };
}

/** Updated items are listed field by field; of a secret only the name is shown. */
function describeChange({ action, subject, fields, values = {} }: Change): string[] {
  const head = `${signs[action]} ${subject}${action === 'updated' ? `: ${fields.join(', ')}` : ''}`;
  if (action !== 'updated') return [head];
  return [
    head,
    ...Object.entries(values).map(([field, [before, after]]) => `    ${field}: ${shown(before)} → ${shown(after)}`),
  ];
}

const shownMax = 60;

/** A value as JSON on one line, shortened. What was not there is `–`. */
function shown(value: unknown): string {
  return value === undefined || value === null ? '–' : oneLine(JSON.stringify(value), shownMax);
}

function summarise(changes: readonly Change[]): string {
  const count = (wanted: Change['action']) => changes.filter(({ action }) => action === wanted).length;
  if (count('unchanged') === changes.length) return `Nothing to change: all ${changes.length} items match the file.`;
  const words = (['created', 'updated', 'removed', 'unchanged'] as const).filter((action) => count(action) > 0);
  return `${words.map((action) => `${count(action)} ${action}`).join(', ')}.`;
}
