import { invalidRequest } from './errors.ts';

/** The begin or the end of a range, under the name that the caller used. Without a time, the range is open. */
type End = readonly [name: string, time: Date | null | undefined];

/**
 * Reject a range of time that ends before it begins: it holds nothing, which is not what its caller meant.
 * @throws DomainError `invalid_request`
 */
export function rejectReversed([fromName, from]: End, [toName, to]: End): void {
  if (!from || !to || from <= to) return;
  throw invalidRequest('The range ends before it begins.', {
    path: `/${toName}`,
    code: 'window',
    detail: `must not be before ${fromName}`,
  });
}
