import type { Context } from '../context.ts';
import type { OwnMetadata } from '../ports/payment-snapshots.ts';

/** Whether an object at the provider was made for an order of this store, in this environment: by our metadata on it. */
export function isOwnObject(ctx: Context, { tenantId, orderId, environment }: OwnMetadata): boolean {
  return orderId !== null && tenantId === ctx.tenant.id && environment === ctx.settings.appMode;
}
