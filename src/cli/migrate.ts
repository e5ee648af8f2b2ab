import { readDatabaseUrl } from '#src/config.ts';
import { migrate, pendingMigrations } from '#src/database/migrate.ts';
import { defineCommand } from './lib/command.ts';

/** The release phase: needs DATABASE_URL and no other variable, and may run several times at once. */
export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Apply pending database migrations.',
  options: { status: { type: 'boolean', description: 'Only list pending migrations.' } },
  async run({ options, terminal }) {
    const databaseUrl = readDatabaseUrl(terminal.environment);
    if (options.status) {
      const pending = await pendingMigrations(databaseUrl);
      return { data: { pending }, lines: pending.length > 0 ? pending.map((name) => `to apply  ${name}`) : [upToDate] };
    }
    const applied = await migrate(databaseUrl, terminal.progress);
    return { data: { applied }, lines: applied.length > 0 ? applied.map((name) => `applied  ${name}`) : [upToDate] };
  },
});

const upToDate = 'The schema is up to date.';
