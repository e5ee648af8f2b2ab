import { badRequest, RejectionKind } from './refusal.ts';

export interface Page<T> {
  next: string | null;
  previous: string | null;
  results: T[];
}

/** One page of a list, as `page` and `results` ask for it. */
export function pageOf<T>(items: T[], address: URL, resultsUsual = 25): Page<T> {
  const page = wholeNumber(address, 'page', 1, Number.MAX_SAFE_INTEGER);
  const results = wholeNumber(address, 'results', resultsUsual, 100);
  const start = (page - 1) * results;
  if (page > 1 && start >= items.length) throw new RejectionKind(404, { detail: 'Invalid page.' });
  return {
    next: start + results < items.length ? withPage(address, page + 1) : null,
    previous: page > 1 ? withPage(address, page - 1) : null,
    results: items.slice(start, start + results),
  };
}

/** A query value that must be one of a few words. */
export function chosen<T extends string>(address: URL, name: string, words: readonly T[]): T | undefined {
  const value = address.searchParams.get(name);
  if (value === null) return undefined;
  const word = words.find((one) => one === value);
  if (word === undefined) throw badRequest({ [name]: [`"${value}" is not a valid choice.`] });
  return word;
}

function wholeNumber(address: URL, name: string, usual: number, max: number): number {
  const value = Number(address.searchParams.get(name) ?? usual);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw badRequest({ [name]: [`Ensure this value is a whole number from 1 to ${max}.`] });
}

function withPage(address: URL, page: number): string {
  const other = new URL(address);
  other.searchParams.set('page', String(page));
  return other.href;
}
