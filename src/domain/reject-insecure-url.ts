import { invalidRequest } from '#src/lib/errors.ts';
import type { Context } from './context.ts';

/**
 * A browser is only led to where nobody on the way reads along: https, or http in local mode, or to the developer's own
 * machine in the test environment.
 * @throws DomainError `invalid_request` that names the field
 */
export function rejectInsecureUrl(ctx: Pick<Context, 'settings'>, field: string, address: string): void {
  const protocol = URL.canParse(address) ? new URL(address).protocol : '';
  if (protocol === 'https:') return;
  if (protocol === 'http:' && (ctx.settings.localMode || leadsHome(ctx, address))) return;
  throw invalidRequest(`${field} must be an https URL.`, {
    path: `/${field}`,
    code: 'format',
    detail: 'must be an https URL',
  });
}

/** In the test environment: a URL of the very machine on which the browser runs, where a developer tries a storefront. */
export function leadsHome({ settings }: Pick<Context, 'settings'>, url: string): boolean {
  return settings.appMode === 'test' && ['localhost', '127.0.0.1'].includes(new URL(url).hostname);
}
