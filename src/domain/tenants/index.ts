export { createKeyDirectory, type KeyDirectory, type OpenedKey } from './key-directory.ts';
export { covers, publishableScopes, scopes, type Scope } from './scopes.ts';
export { moduleNames, type ModuleName, type Modules, type Tenant, TenantEntity } from './tenant.ts';
export { takeOrderNumber } from './take-order-number.ts';
export { createTenantDirectory, type TenantDirectory } from './tenant-directory.ts';
