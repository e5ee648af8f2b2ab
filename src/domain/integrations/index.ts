export { acceptCall, type SignedCall } from './accept-call.ts';
export { callSecretOf } from './call-secret.ts';
export { completeConnection, type ConsentAnswer, unknownState } from './complete-connection.ts';
export { createIntegrationState, type IntegrationState } from './create-integration-state.ts';
export { giveUpCall, handleCall } from './handle-call.ts';
export { IntegrationProvider } from './provider.ts';
export { pruneIntegrations } from './prune-integrations.ts';
export { type Connection, readConnection } from './read-connection.ts';
export { integrationSealedColumns } from './sealed-columns.ts';
