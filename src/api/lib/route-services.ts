import type { Services } from '#src/services.ts';
import { createResponseCheck, type ResponseCheck } from './check-responses.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import { Pace } from './pace.ts';
import { createReplyCache, type ReplyCache } from './reply-cache.ts';

/** What every route is served with. */
export interface RouteServices {
  readonly services: Services;
  readonly replies: ReplyCache;
  readonly limiter: Limiter;
  readonly pace: Pace;
  readonly check: ResponseCheck;
}

export function createRouteServices(services: Services): RouteServices {
  return {
    services,
    replies: createReplyCache(services.clock),
    limiter: createLimiter(services),
    pace: new Pace({ waitMs: services.timeouts.readMs }),
    check: createResponseCheck(services.checkResponses),
  };
}
