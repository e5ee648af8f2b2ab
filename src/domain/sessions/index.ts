export { consumeLink } from './consume-link.ts';
export {
  type CountedRequest,
  hashClient,
  isAmongTheFirst,
  isAmongTheNewest,
  isWithinLimits,
  linksPerClientMax,
  linksPerEmailMax,
  linksWindowMs,
} from './link-limits.ts';
export { checkLink, mailLink } from './mail-link.ts';
export { sessionPersonalData } from './personal-data.ts';
export { renewToken, rotateSession } from './refresh-session.ts';
export { pathOnStorefront, requestLink } from './request-link.ts';
export { endSession, type OpenSession, openSession, presentSession, SessionView } from './session.ts';
export { ConsumeInput, LinkInput, RefreshInput } from './session-input.ts';
export { invalidSession, tenantIdOfSession } from './session-token.ts';
