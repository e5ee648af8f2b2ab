import { applyCommand } from './apply/apply.ts';
import { importCommand } from './bulk/import.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { exampleCommand } from './example.ts';
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from './keys.ts';
import { recoverLabelsCommand } from './labels.ts';
import type { Command } from './lib/command.ts';
import { migrateCommand } from './migrate.ts';
import { openApiCommand } from './openapi.ts';
import { eraseCommand, exportCommand } from './privacy.ts';
import { replayCommand } from './replay.ts';
import { rotateKeysCommand } from './rotate-keys.ts';
import { inviteStaffCommand, listStaffCommand, removeAppCommand, revokeStaffCommand } from './staff.ts';
import {
  closeTenantCommand,
  listTenantsCommand,
  removeTenantCommand,
  reopenTenantCommand,
  rotateSecretCommand,
  setModuleCommand,
  showTenantCommand,
} from './tenants.ts';
import { listDeliveriesCommand, recoverCommand, redeliverCommand, showDeliveryCommand } from './webhooks/deliveries.ts';
import {
  createEndpointCommand,
  disableEndpointCommand,
  enableEndpointCommand,
  listEndpointsCommand,
  listEventTypesCommand,
  removeEndpointCommand,
  rotateEndpointCommand,
  testEndpointCommand,
  updateEndpointCommand,
} from './webhooks/endpoints.ts';
import { registerWebhookCommand } from './webhooks/register.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  migrateCommand,
  applyCommand,
  exampleCommand,
  listTenantsCommand,
  showTenantCommand,
  setModuleCommand,
  rotateSecretCommand,
  closeTenantCommand,
  reopenTenantCommand,
  removeTenantCommand,
  listKeysCommand,
  createKeyCommand,
  revokeKeyCommand,
  listStaffCommand,
  inviteStaffCommand,
  removeAppCommand,
  revokeStaffCommand,
  doctorCommand,
  replayCommand,
  recoverLabelsCommand,
  rotateKeysCommand,
  registerWebhookCommand,
  listEndpointsCommand,
  createEndpointCommand,
  updateEndpointCommand,
  enableEndpointCommand,
  disableEndpointCommand,
  removeEndpointCommand,
  rotateEndpointCommand,
  testEndpointCommand,
  listDeliveriesCommand,
  showDeliveryCommand,
  redeliverCommand,
  recoverCommand,
  listEventTypesCommand,
  importCommand,
  exportCommand,
  eraseCommand,
  openApiCommand,
];
