import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { defineCommand, Failure, UsageError } from '#src/cli/lib/command.ts';
import { checkTarget, openSource } from '#src/cli/lib/files.ts';
import { withStore } from '#src/cli/lib/with-services.ts';
import {
  hasFormat,
  importKinds,
  type Operation,
  presentImport,
  receiveImport,
  rejectedRows,
  rejectedRowsCsv,
} from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { followOperation } from './follow-operation.ts';

/** How many rejected rows are printed. */
const shownMax = 5;

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
    if (errors) await checkTarget(errors);
    await using source = await openSource(file);
    return await withStore(terminal, slug, async (ctx) => {
      terminal.progress(`Storing ${file}.`);
      const mode = create ? 'create' : 'upsert';
      const request = { kind, format, mode, dry_run: options['dry-run'] } as const;
      const { id } = await receiveImport(ctx, request, source.createReadStream() as AsyncIterable<Buffer>);
      const done = await followOperation(ctx, terminal, { type: 'import', id });
      const { created, updated, unchanged } = done;
      const summary = `${created} created, ${updated} updated, ${unchanged} unchanged.`;
      // Whoever does not learn that it is done imports the file again, with changes of stock a second time.
      if (errors)
        await pipeline(rejectedRowsCsv(ctx, done), createWriteStream(errors)).catch(({ message }: Error) => {
          throw new Failure(`${summary} The rejected rows were not written to ${errors}: ${message}.`);
        });
      return {
        data: { import: presentImport(done, ctx.clock.now()) },
        failed: done.rowsFailed > 0,
        lines: [
          summary,
          ...(await describeRejected(ctx, done, errors)),
          ...(options['dry-run'] ? ['Dry run: nothing was changed.'] : []),
        ],
      };
    });
  },
});

/** How many rows were rejected, and where all of them are, or else the first of them. */
async function describeRejected(ctx: Context, done: Operation, errors: string | undefined): Promise<string[]> {
  if (done.rowsFailed === 0) return [];
  const summary = `${done.rowsFailed} ${done.rowsFailed === 1 ? 'row was' : 'rows were'} rejected`;
  if (errors) return [`${summary}: see ${errors}.`];
  const first: string[] = [];
  for await (const rows of rejectedRows(ctx, done)) {
    const shown = rows.filter(({ problem }) => problem !== '').slice(0, shownMax);
    first.push(...shown.map(({ row, problem }) => `  Row ${row}: ${problem}`));
    break;
  }
  return [`${summary}. With --errors <path> all of them are written to a file. The first:`, ...first];
}
