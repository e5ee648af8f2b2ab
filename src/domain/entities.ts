import { Order } from './orders/index.ts';
import { TenantEntity } from './tenants/index.ts';

/** Every entity that the unit of work knows. */
export const entities = [TenantEntity, Order];
