import type { Middleware } from 'koa';

import { HttpError } from '#src/api/lib/http-error.ts';

/** Far more than any address has. */
const parametersMax = 100;

/** Refuse an address of very many parameters: Koa takes time in proportion to the square of their number to read them. */
export function limitQuery(): Middleware {
  return (koa, next) => {
    if (koa.querystring.split('&', parametersMax + 1).length <= parametersMax) return next();
    throw new HttpError(400, 'invalid_request', `A URL may have at most ${parametersMax} query parameters.`);
  };
}
