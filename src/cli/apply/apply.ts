import { defineCommand, Failure, type Report } from '#src/cli/lib/command.ts';
import { openSource } from '#src/cli/lib/files.ts';
import { rejectOtherKeys, withServices } from '#src/cli/lib/with-services.ts';
import { readConfig } from '#src/config.ts';
import { applyStore } from './apply-store.ts';
import { findDamage, type Problem } from './read-store-file.ts';
import { reportApplied } from './report-applied.ts';
import { RejectedInput } from './section.ts';
import { loadStoreFile } from './store-file.ts';

export const applyCommand = defineCommand({
  name: 'apply',
  summary: 'Create or update a whole store from one file, YAML or JSON.',
  parameters: { file: 'The store file, or - for standard input. The command example prints one.' },
  options: {
    'dry-run': { type: 'boolean', description: 'Print what would change without changing anything.' },
    prune: {
      type: 'boolean',
      description: 'Delete items that a list in the file omits. Lists that are absent, and gift cards, are left alone.',
    },
    'set-stock': {
      type: 'boolean',
      description: 'Also overwrite existing stock and gift card balances. By default they are only set initially.',
    },
  },
  async run({ parameters, options, terminal }): Promise<Report> {
    const name = parameters.file === '-' ? 'standard input' : parameters.file;
    const source = parameters.file === '-' ? await terminal.readInput() : await readSource(parameters.file);
    const damage = findDamage(source);
    if (damage) throw failureFrom(name, [damage]);
    const { settings } = readConfig(terminal.environment);
    const loaded = loadStoreFile(source.toString(), terminal.environment, settings);
    if ('problems' in loaded) throw failureFrom(name, loaded.problems);

    const { 'dry-run': dryRun, 'set-stock': setStock, prune } = options;
    try {
      const applied = await withServices(terminal, async (services, ctx) => {
        const tenant = await services.tenants.bySlug(loaded.file.store.slug);
        if (tenant) await rejectOtherKeys({ ...ctx, tenant });
        await services.proveSecrets();
        return applyStore(ctx, loaded.file, { dryRun, prune, setStock }, terminal.progress);
      });
      return reportApplied(applied);
    } catch (error) {
      if (!(error instanceof RejectedInput)) throw error;
      throw failureFrom(
        name,
        error.issues.flatMap((issue) => loaded.locate(issue) ?? []),
      );
    }
  },
});

function failureFrom(name: string, problems: readonly Problem[]): Failure {
  const lines = problems.map(
    ({ line, column, field, detail }) => `  ${name}:${line}:${column}  ${field && `${field} `}${detail}`,
  );
  const count = problems.length === 1 ? 'one place' : `${problems.length} places`;
  return new Failure([`The store file has errors in ${count}; nothing was changed:`, ...lines].join('\n'), problems);
}

async function readSource(path: string): Promise<Buffer> {
  await using file = await openSource(path);
  return await file.readFile();
}
