export { acceptCall, failCall, handleCall } from './calls.ts';
export { completeConnection } from './complete-connection.ts';
export {
  findConnection,
  IntegrationProvider,
  IntegrationView,
  listConnections,
  presentConnection,
  revealConnection,
} from './connections.ts';
export { createIntegrationState } from './create-integration-state.ts';
export { integrationPersonalData } from './personal-data.ts';
export { integrationSealedColumns } from './sealed-columns.ts';
