import type { TableFormat } from '../import-kind.ts';
import { definedFields, filledCells, filledNumbers, flagIn, listIn } from './cells.ts';

/** A table with a row for each thing, whose columns are fields, by the type of their values. */
export function flatTable({
  required = [],
  texts = [],
  numbers = [],
  flags = [],
  lists = [],
  tags = [],
  others = [],
  identifiers = [],
}: {
  readonly required?: readonly string[];
  readonly texts?: readonly string[];
  readonly numbers?: readonly string[];
  readonly flags?: readonly string[];
  readonly lists?: readonly string[];
  /** Lists whose elements may contain semicolons. */
  readonly tags?: readonly string[];
  /** Not read: they are in the file that an export writes. */
  readonly others?: readonly string[];
  /** Of the texts, those that may be numbers of many digits. */
  readonly identifiers?: readonly string[];
}): TableFormat {
  const all = [...texts, ...numbers, ...flags, ...lists, ...tags, ...others];
  return {
    required,
    optional: all.filter((name) => !required.includes(name)),
    otherColumns: 'rejected',
    identifiers,
    valueOf: ([row = {}]) =>
      definedFields({
        ...filledCells(row, texts),
        ...filledNumbers(row, numbers),
        ...Object.fromEntries(flags.map((name) => [name, flagIn(row[name])])),
        ...Object.fromEntries(lists.map((name) => [name, listIn(row[name])])),
        ...Object.fromEntries(tags.map((name) => [name, listIn(row[name], /,/)])),
      }),
  };
}
