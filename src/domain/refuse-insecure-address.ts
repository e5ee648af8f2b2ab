import { invalidRequest } from '#src/lib/errors.ts';
import type { Context } from './context.ts';

/**
 * A browser is only led to where nobody on the way reads along: https, or http in local mode.
 * @throws DomainError `invalid_request` that names the field
 */
export function refuseInsecureAddress({ settings }: Context, field: string, address: string): void {
  const protocol = URL.canParse(address) ? new URL(address).protocol : '';
  if (protocol === 'https:' || (settings.localMode && protocol === 'http:')) return;
  throw invalidRequest(`${field} must be an https address.`, {
    path: `/${field}`, code: 'format', detail: 'must be an https address',
  });
}
