import type { PlatformContext } from '../context.ts';
import type { Marks } from '../ports/payment-snapshots.ts';

/** Whether an object at the provider was made by this service, in this environment: by our own marks on it. */
export function isOurs(ctx: PlatformContext, { orderId, environment }: Marks): boolean {
  return orderId !== null && environment === ctx.settings.appMode;
}
