import type { Metadata, MetadataChange } from '../state/objects.ts';
import { invalid } from './error.ts';
import type { Form } from './form.ts';

const keysMax = 50;
const keyLengthMax = 40;
const valueLengthMax = 500;

/** Reject metadata beyond Stripe's limits: 50 keys, keys of 40 and values of 500 characters. */
export function checkMetadata(value: string | Form, path: string): MetadataChange {
  if (typeof value === 'string') throw invalid('Invalid object', path);
  const entries = Object.entries(value);
  if (entries.length > keysMax) {
    throw invalid(`You can have up to ${keysMax} metadata keys, but you passed in ${entries.length}.`, path);
  }
  return Object.fromEntries(entries.map(([key, text]) => [key, checkEntry(key, text, path)]));
}

/** Metadata after a change: given keys are set, null ones unset, others stay; null clears all. */
export function changedMetadata(current: Metadata, change: MetadataChange | null | undefined): Metadata {
  if (change === null) return {};
  const merged = Object.entries({ ...current, ...change });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

function checkEntry(key: string, text: string | Form, path: string): string | null {
  if (typeof text !== 'string') throw invalid('Metadata keys cannot contain square brackets.', path);
  if (key.length > keyLengthMax) {
    throw invalid(`${tooLong('keys', keyLengthMax, 'key', key)} Invalid key: ${key}`, path);
  }
  if (text.length > valueLengthMax) {
    const shown = `${text.slice(0, 50)}…`;
    throw invalid(`${tooLong('values', valueLengthMax, 'value', text)} Invalid value: ${shown}`, `${path}[${key}]`);
  }
  return text === '' ? null : text;
}

function tooLong(many: string, most: number, one: string, given: string): string {
  return (
    `Metadata ${many} can have up to ${most} characters, ` +
    `but you passed in a ${one} that is ${given.length} characters.`
  );
}
