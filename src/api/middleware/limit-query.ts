import type { Middleware } from 'koa';

import { HttpError } from '#src/api/lib/http-error.ts';

/** Far more than any URL has. */
const parametersMax = 100;

/** Reject a URL with very many parameters: Koa parses them in quadratic time. */
export function limitQuery(): Middleware {
  return (koa, next) => {
    if (koa.querystring.split('&', parametersMax + 1).length <= parametersMax) return next();
    throw new HttpError(400, 'invalid_request', `A URL may have at most ${parametersMax} query parameters.`);
  };
}
