import { Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
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
    kind: ImportKindName,
    format: ImportFormat,
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
