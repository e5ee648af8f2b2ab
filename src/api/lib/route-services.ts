import type { Services } from '#src/services.ts';
import { type Admissions, createAdmissions } from './admissions.ts';
import { type AnswerCheck, createAnswerCheck } from './check-answers.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import { createReplyCache, type ReplyCache } from './reply-cache.ts';

/** What every route is served with. */
export interface RouteServices {
  readonly services: Services;
  readonly admissions: Admissions;
  readonly replies: ReplyCache;
  readonly limiter: Limiter;
  readonly check: AnswerCheck;
}

export function createRouteServices(services: Services): RouteServices {
  return {
    services,
    admissions: createAdmissions(services.clock),
    replies: createReplyCache(services.clock),
    limiter: createLimiter(services),
    check: createAnswerCheck(services.checkAnswers),
  };
}
