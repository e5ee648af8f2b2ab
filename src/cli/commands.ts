import { applyCommand } from './apply/apply.ts';
import { exampleCommand } from './example.ts';
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from './keys.ts';
import type { Command } from './lib/command.ts';
import { migrateCommand } from './migrate.ts';
import { openApiCommand } from './openapi.ts';
import { listTenantsCommand, rotateSecretCommand, setModuleCommand, showTenantCommand } from './tenants.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  migrateCommand,
  applyCommand,
  exampleCommand,
  listTenantsCommand,
  showTenantCommand,
  setModuleCommand,
  rotateSecretCommand,
  listKeysCommand,
  createKeyCommand,
  revokeKeyCommand,
  openApiCommand,
];
