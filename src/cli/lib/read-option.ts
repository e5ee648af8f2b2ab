import type { Clock } from '#src/lib/clock.ts';
import { parseDuration } from '#src/lib/duration.ts';
import { type Static, Timestamp, type TSchema, Type } from '#src/lib/schema.ts';
import { fits, type Issue, issuesOf } from '#src/lib/validation.ts';
import { UsageError } from './command.ts';

/** The formats of a point in time. */
export const timeHelp = 'A time such as 2026-11-20T09:00:00Z, a day (from 0:00 UTC), or how long ago: 90m, 24h, 7d.';

const Day = Type.String({ ...Timestamp, format: 'date' });

/**
 * The time since when something is to be done.
 * @param name that of the option or the parameter: `--since`, `<since>`
 * @throws UsageError also for a time that is yet to come: nothing would be found, as if there were nothing
 */
export function readSince(clock: Clock, name: string, written: string): Date {
  const since = readTime(clock, name, written);
  if (since > clock.now()) throw new UsageError(`${name} is yet to come. ${timeHelp}`);
  return since;
}

/** The option `--until`. @throws UsageError */
export function readUntil(clock: Clock, written: string | undefined, since: Date): Date | undefined {
  if (written === undefined) return undefined;
  const until = readTime(clock, '--until', written);
  if (until <= since) throw new UsageError('--until must be later than since.');
  return until;
}

/** A point in time as it is written on a command line. */
function readTime(clock: Clock, name: string, written: string): Date {
  const agoMs = parseDuration(written);
  if (agoMs !== undefined) return new Date(clock.now().getTime() - agoMs);
  if (fits(Timestamp, written) || fits(Day, written)) return new Date(written);
  throw new UsageError(`${name} is no time that I know. ${timeHelp}`);
}

/**
 * Validate what a call was given together.
 * @param given by the names of the schema; an option has the same name with - for _
 * @param parameters of the call: what is named like one of them is it, and no option
 * @throws UsageError that names them as they are written
 */
export function readInput<Schema extends TSchema>(
  command: string,
  schema: Schema,
  given: object,
  parameters: object = {},
): Static<Schema> {
  if (fits(schema, given)) return given;
  const describe = ({ path, detail }: Issue) => {
    const [, field = ''] = path.split('/');
    return `${field in parameters ? `<${field}>` : `--${field.replaceAll('_', '-')}`} ${detail}`;
  };
  throw new UsageError(`${command}: ${[...new Set(issuesOf(schema, given).map(describe))].join(', ')}.`);
}

/** `a, b` as its parts. */
export const readList = (written: string | undefined): string[] | undefined =>
  written?.split(',').map((part) => part.trim());

/** A number if it is one; anything else is rejected by its schema. */
export const readNumber = (written: string | undefined): number | string | undefined =>
  written !== undefined && /^[0-9]+$/.test(written) ? Number(written) : written;
