import { defineCommand, type Report, type Terminal } from '#src/cli/lib/command.ts';
import { describeFailure } from '#src/cli/lib/describe-failure.ts';
import { rejectOtherKeys, withServices } from '#src/cli/lib/with-services.ts';
import { applyStore } from './apply-store.ts';
import { failureOf, loadNamedFiles, type NamedFile } from './named-file.ts';
import { reportApplied } from './report-applied.ts';
import { RejectedInput } from './section.ts';

export const applyCommand = defineCommand({
  name: 'apply',
  summary: 'Create or update a whole store from one file, YAML or JSON; or several stores, each from its own.',
  parameters: { file: 'A store file, or - for standard input. The command example prints one.' },
  takesMore: true,
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
  async run({ parameters, more, options, terminal }): Promise<Report> {
    const files = await loadNamedFiles([parameters.file, ...more], terminal);
    const { 'dry-run': dryRun, 'set-stock': setStock, prune } = options;
    return withServices(terminal, async (services, ctx) => {
      for (const { file } of files) {
        const tenant = await services.tenants.bySlug(file.store.slug);
        if (tenant) await rejectOtherKeys({ ...ctx, tenant });
      }
      await services.proveSecrets();
      return applyAll(files, terminal, ({ name, file, locate }, progress, unchanged) =>
        applyStore(ctx, file, { dryRun, prune, setStock }, progress).then(reportApplied, (error) => {
          if (!(error instanceof RejectedInput)) throw error;
          const problems = locate(error.issues).map((problem) => ({ file: name, ...problem }));
          throw failureOf(problems, { unchanged });
        }),
      );
    });
  },
});

type Apply = (file: NamedFile, progress: Terminal['progress'], unchanged?: string) => Promise<Report>;

/**
 * One after the other, each in a transaction of its own. Each is reported at once, because the keys of a store that is
 * made can never be shown again, whatever becomes of the next one.
 */
async function applyAll(files: readonly NamedFile[], terminal: Terminal, apply: Apply): Promise<Report> {
  const [first, ...others] = files;
  if (first && others.length === 0) return apply(first, terminal.progress);
  const failed: string[] = [];
  for (const named of files) {
    const { name: file } = named;
    const { slug: store } = named.file.store;
    const progress = (message: string) => terminal.progress(`${store}: ${message}`);
    try {
      const { lines, data } = await apply(named, progress, `nothing of ${store}`);
      terminal.print({ lines: [`${store} (${file})`, ...lines, ''], data: { file, ...(data as object) } });
    } catch (error) {
      const { message, problems } = describeFailure(error);
      failed.push(file);
      terminal.print({
        lines: [`${store} (${file}) failed:`, message, ''],
        data: { file, store, error: message, problems },
      });
    }
  }
  const done = `${files.length - failed.length} of ${files.length} files are done.`;
  return {
    failed: failed.length > 0,
    lines: [failed.length > 0 ? `${done} Failed: ${failed.join(', ')}` : done],
    data: undefined,
  };
}
