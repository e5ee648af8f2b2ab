import { Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { exportFormats } from './export-kind.ts';
import { exportKinds, rangeOf } from './exports/index.ts';
import { importModes } from './import-kind.ts';
import { importFormats, importKinds } from './kinds/index.ts';
import { type Operation, operationStates } from './operation.ts';

const Count = (options: object = {}) => Type.Integer({ minimum: 0, examples: [120], ...options });

export const ImportKindName = Type.Enum(
  importKinds.map(({ name }) => name),
  { examples: ['products'] },
);
export const ImportFormat = Type.Enum([...importFormats], { examples: ['csv'] });
export const ImportModeName = Type.Enum([...importModes], { examples: ['upsert'] });

/** An import as its owner sees it. */
export const ImportView = Type.Object(
  {
    id: Type.String({ examples: ['imp_01m7xfs208fk1sctzyr3afnpz3'] }),
    kind: Type.String({ examples: ['products'] }),
    format: Type.String({ examples: ['csv'] }),
    mode: ImportModeName,
    dry_run: Type.Boolean(),
    state: Type.Enum([...operationStates]),
    /** Why it failed. */
    failure: Nullable(Type.String()),
    file_bytes: Count({ description: 'The size of the file as UTF-8.' }),
    rows: Type.Object({
      total: Nullable(Count({ description: 'Null until the whole file was read.' })),
      read: Count(),
      done: Count(),
      failed: Count({ description: 'Those that were rejected; `GET /admin/imports/{id}/errors` lists them.' }),
    }),
    changes: Type.Object({ created: Count(), updated: Count(), unchanged: Count() }),
    /** The first changes that a dry run found. */
    samples: Type.Array(
      Type.Object({
        subject: Type.String({ examples: ['product oak-bowl'] }),
        action: Type.String({ examples: ['updated'] }),
        fields: Type.Array(Type.String({ examples: ['name'] })),
      }),
    ),
    rows_per_second: Nullable(Type.Number({ examples: [1500] })),
    created_at: Timestamp,
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
  },
  { title: 'Import' },
);

export function presentImport(operation: Operation, now: Date): Static<typeof ImportView> {
  const { options, rowsTotal, rowsRead, rowsDone, rowsFailed, startedAt, finishedAt } = operation;
  return {
    id: operation.id,
    kind: operation.kind,
    format: operation.format,
    mode: options['mode'] === 'create' ? 'create' : 'upsert',
    dry_run: options['dry_run'] === true,
    state: operation.state,
    failure: operation.failure,
    file_bytes: operation.fileBytes,
    rows: { total: rowsTotal, read: rowsRead, done: rowsDone, failed: rowsFailed },
    changes: { created: operation.created, updated: operation.updated, unchanged: operation.unchanged },
    samples: operation.changes.map(({ subject, action, fields }) => ({ subject, action, fields: [...fields] })),
    rows_per_second: startedAt && ratePerSecond(rowsDone, (finishedAt ?? now).getTime() - startedAt.getTime()),
    created_at: operation.createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

/** Null for no time at all. */
function ratePerSecond(rows: number, ms: number): number | null {
  return ms > 0 ? Math.round((rows * 10_000) / ms) / 10 : null;
}

export const ExportKindName = Type.Enum(
  exportKinds.map(({ name }) => name),
  { examples: ['orders'] },
);
export const ExportFormatName = Type.Enum([...exportFormats], { examples: ['csv'] });

/** An export as its owner sees it. */
export const ExportView = Type.Object(
  {
    id: Type.String({ examples: ['exp_01m7xfs208fk1sctzyr3afnpz3'] }),
    kind: Type.String({ examples: ['orders'] }),
    format: ExportFormatName,
    from: Nullable(Timestamp),
    to: Nullable(Timestamp),
    state: ImportView.properties.state,
    failure: Nullable(Type.String()),
    rows: Nullable(Count()),
    file_bytes: Nullable(Count()),
    /** The link to the file, for whoever has it, until `expires_at`. */
    url: Nullable(Type.String()),
    expires_at: Nullable(Timestamp),
    created_at: Timestamp,
    finished_at: Nullable(Timestamp),
  },
  { title: 'Export' },
);

export function presentExport(
  operation: Operation,
  link: { readonly url: string; readonly expiresAt: Date } | null,
): Static<typeof ExportView> {
  const { from, to } = rangeOf(operation);
  const isCompleted = operation.state === 'completed';
  return {
    id: operation.id,
    kind: operation.kind,
    format: operation.format === 'jsonl' ? 'jsonl' : 'csv',
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    state: operation.state,
    failure: operation.failure,
    rows: isCompleted ? operation.rowsTotal : null,
    file_bytes: isCompleted ? operation.fileBytes : null,
    url: link?.url ?? null,
    expires_at: link?.expiresAt.toISOString() ?? null,
    created_at: operation.createdAt.toISOString(),
    finished_at: operation.finishedAt?.toISOString() ?? null,
  };
}
