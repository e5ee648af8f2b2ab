import { ApiError } from '@storefront-commerce/client';

import { describeIssue } from './describe-issue.ts';
import type { LabelOf } from './name-of-field.ts';

/**
 * What an error means and what to do, in a sentence or two.
 * @param currency of the amounts that were sent
 * @param labelOf of the form that was sent
 */
export function messageOf(error: unknown, currency?: string, labelOf?: LabelOf): string {
  if (!(error instanceof ApiError)) return 'Something went wrong on this page. Reload it, and try again.';
  if (error.code === 'connection_failed')
    return 'The service cannot be reached. Check your connection, then try again: nothing you entered is lost.';
  if (error.code === 'insufficient_scope') return 'Your role does not allow this. Ask the owner of the store.';
  if (error.code === 'unexpected_response')
    return (
      `Something between this page and the service responded in its place, with status ${error.status}. ` +
      'Try again. If that does not help, contact the operator of the service.'
    );
  return error.errors.length === 0
    ? error.detail
    : error.errors.map((issue) => describeIssue(issue, currency, labelOf)).join('\n');
}

/** What is wrong with the inputs of a form, by their sources, as far as they have a label there. */
export function rejectedFields(
  error: unknown,
  currency: string | undefined,
  labelOf: LabelOf,
): Readonly<Record<string, string>> {
  const issues = error instanceof ApiError ? error.errors : [];
  return Object.fromEntries(
    issues.flatMap((issue) => {
      const source = issue.path.slice(1).replaceAll('/', '.');
      const label = labelOf(source);
      if (label !== undefined) return [[source, describeIssue(issue, currency, labelOf, label)]];
      // One of the texts of an input, which its place tells from the others.
      const list = source.replace(/\.\d+$/, '');
      return labelOf(list) === undefined ? [] : [[list, describeIssue(issue, currency, labelOf)]];
    }),
  );
}
