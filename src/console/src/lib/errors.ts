import { ApiError } from '@storefront-commerce/client';

/** What an error means and what to do, in a sentence or two. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong on this page. Reload it, and try again.';
  if (error.code === 'connection_failed')
    return 'The service cannot be reached. Check your connection, then try again: nothing you entered is lost.';
  if (error.code === 'insufficient_scope') return 'Your role does not allow this. Ask the owner of the store.';
  const problems = error.errors.map(({ path, detail }) => `${path.slice(1).replaceAll('/', ' ')}: ${detail}`);
  return [error.detail, ...problems].join('\n');
}
