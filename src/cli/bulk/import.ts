import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { defineCommand, UsageError } from '#src/cli/lib/command.ts';
import { withStore } from '#src/cli/lib/with-services.ts';
import { hasFormat, importKinds, presentImport, receiveImport, rejectedRowsCsv } from '#src/domain/bulk/index.ts';
import { followOperation } from './follow-operation.ts';

const kindNames = importKinds.map(({ name }) => name).join(', ');

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Import a file into a store. A worker must be running.',
  parameters: {
    slug: 'The slug of the store.',
    kind: `What is imported: ${kindNames}.`,
    file: 'The path of the file.',
  },
  options: {
    format: { type: 'string', value: 'csv|jsonl|shopify', description: 'How the file is written. Default csv.' },
    create: { type: 'boolean', description: 'Reject what exists already instead of changing it.' },
    'dry-run': { type: 'boolean', description: 'Only report what would change.' },
    errors: { type: 'string', value: 'path', description: 'Write the rejected rows to this file, to be corrected.' },
  },
  async run({ parameters: { slug, kind: name, file }, options, terminal }) {
    const { format = 'csv', create, errors } = options;
    const kind = importKinds.find((each) => each.name === name);
    if (!kind) throw new UsageError(`"${name}" cannot be imported. There are ${kindNames}.`);
    if (!hasFormat(kind, format)) throw new UsageError(`${name} cannot be imported from ${format}.`);
    return withStore(terminal, slug, async (ctx) => {
      terminal.progress(`Storing ${file}.`);
      const mode = create ? 'create' : 'upsert';
      const request = { kind, format, mode, dry_run: options['dry-run'] } as const;
      const id = await receiveImport(ctx, request, createReadStream(file) as AsyncIterable<Buffer>);
      const done = await followOperation(ctx, terminal, { type: 'import', id });
      if (errors) await pipeline(rejectedRowsCsv(ctx, done), createWriteStream(errors));
      const { created, updated, unchanged, rowsFailed } = done;
      return {
        data: { import: presentImport(done, ctx.clock.now()) },
        failed: rowsFailed > 0,
        lines: [
          `${created} created, ${updated} updated, ${unchanged} unchanged.`,
          ...(rowsFailed > 0 ? [`${rowsFailed} rows were rejected${errors ? `: see ${errors}` : ''}.`] : []),
          ...(options['dry-run'] ? ['Dry run: nothing was changed.'] : []),
        ],
      };
    });
  },
});
