import { ApiError } from '@storefront-commerce/client';

import { formatCode } from './format.ts';

/** What an error means and what to do, in a sentence or two. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong on this page. Reload it, and try again.';
  if (error.code === 'connection_failed')
    return 'The service cannot be reached. Check your connection, then try again: nothing you entered is lost.';
  if (error.code === 'insufficient_scope') return 'Your role does not allow this. Ask the owner of the store.';
  return error.errors.length === 0 ? error.detail : error.errors.map(describeIssue).join('\n');
}

/** A sentence, or what the part of the input must be: "Variants, 1, Price cents must be at most 99999999." */
function describeIssue({ path, detail }: ApiError['errors'][number]): string {
  if (/^\p{Lu}/u.test(detail)) return detail;
  const words = path
    .split('/')
    .filter(Boolean)
    .map((part) => (/^\d+$/.test(part) ? Number(part) + 1 : formatCode(part)));
  return `${words.join(', ')} ${detail}.`;
}
