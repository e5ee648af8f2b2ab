import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Report, type Terminal, UsageError } from '#src/cli/lib/command.ts';
import { checkTarget } from '#src/cli/lib/files.ts';
import { withStore } from '#src/cli/lib/with-services.ts';
import { exportKinds, readFile, requestExport } from '#src/domain/bulk/index.ts';
import { followOperation } from './follow-operation.ts';

export const exportedKinds = exportKinds.map(({ name }) => name).join(', ');

/** Export a kind of things of a store to a file. */
export async function exportToFile(
  terminal: Terminal,
  {
    slug,
    what,
    format = 'csv',
    file,
  }: { slug: string; what: string; format?: string | undefined; file: string | undefined },
): Promise<Report> {
  const kind = exportKinds.find(({ name }) => name === what);
  if (!kind) throw new UsageError(`"${what}" is neither an email address nor a kind: ${exportedKinds}.`);
  if (format !== 'csv' && format !== 'jsonl' && format !== 'shopify')
    throw new UsageError('The format must be csv, jsonl or shopify.');
  if (!file) throw new UsageError('Name the file with --to <path>.');
  await checkTarget(file);
  return withStore(terminal, slug, async (ctx) => {
    const id = await requestExport(ctx, { kind, format, from: null, to: null });
    const done = await followOperation(ctx, terminal, { type: 'export', id });
    await pipeline(readFile(ctx, done), createWriteStream(file));
    return { data: { rows: done.rowsTotal, file }, lines: [`${done.rowsTotal} rows were written to ${file}.`] };
  });
}
