export {
  type AdminArea,
  type ApiKey,
  ApiKeyView,
  adminAreas,
  covers,
  issuesOfKey,
  KeyInput,
  presentKey,
  type Scope,
} from './api-key.ts';
export { issuesOfStore } from './check-store.ts';
export { closeStore, reopenStore, wasClosedBefore } from './close-store.ts';
export {
  deriveCode,
  deriveToken,
  deriveTokenWith,
  randomToken,
  tenantIdOfToken,
  tokenPurposes,
} from './derive-token.ts';
export {
  createKeyDirectory,
  createTenantDirectory,
  isNotRemoved,
  type KeyDirectory,
  listTenants,
  type OpenedKey,
  rejectIfRemoved,
  type TenantDirectory,
} from './directories.ts';
export { countKeys, findKey, issueKey, listKeys, revokeKey, saveKey } from './manage-keys.ts';
export { readSealingKeys } from './read-sealing-keys.ts';
export {
  deleteRemoved,
  isOfStore,
  listRemoved,
  lockToRemove,
  markRemoved,
  type RemovedStore,
} from './remove-store.ts';
export { lockStore, ModulesInput, StoreInput, saveTenant, setModules } from './save-tenant.ts';
export { tenantSealedColumns } from './sealed-columns.ts';
export { readSessionSecret, rotateSessionSecret, type SessionSecret } from './session-secret.ts';
export { readStaffSecret } from './staff-secret.ts';
export {
  presentStore,
  readStore,
  StoreSettingsInput,
  StoreSettingsView,
  saveStoreSettings,
} from './store-settings.ts';
export { type ModuleName, moduleNames, requireModule, type Tenant, TenantEntity } from './tenant.ts';
