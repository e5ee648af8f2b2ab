import { ProviderError } from '#src/lib/errors.ts';

/** What a status that is not 200 means. The text of the answer may repeat what was asked, and is not kept. */
export function classifyStatus(status: number, retryAfter: string | string[] | undefined): ProviderError {
  const retryAfterSeconds = Number([retryAfter].flat()[0]) || undefined;
  const error = (failure: ProviderError['failure'], sentence: string) =>
    new ProviderError('embeddings', failure, sentence, { code: String(status), retryAfterSeconds });

  if (status === 401 || status === 403) return error('denied', 'The embeddings endpoint does not know this key.');
  if (status === 429) return error('busy', 'The embeddings endpoint asks to come back later.');
  if (status >= 500 || status === 408) return error('away', `The embeddings endpoint answered ${status}.`);
  return error('refused', `The embeddings endpoint refused the request with ${status}.`);
}
