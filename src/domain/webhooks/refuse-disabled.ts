import { invalidRequest } from '#src/lib/errors.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** @throws DomainError `invalid_request` when the endpoint is switched off: nothing would reach it. */
export function rejectDisabled({ disabledAt }: Pick<WebhookEndpoint, 'disabledAt'>): void {
  if (disabledAt) throw invalidRequest('This endpoint is switched off. Switch it on first.');
}
