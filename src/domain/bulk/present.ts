import { presentAs } from '#src/lib/present-as.ts';
import { DocumentedAs, FreeForm, Nullable, type Static, Text, Timestamp, Type } from '#src/lib/schema.ts';
import { canUndo } from './changes/change-many.ts';
import { changeKinds } from './changes/index.ts';
import { exportFormats } from './export-kind.ts';
import { exportKinds, rangeOf } from './exports/index.ts';
import { importModes } from './import-kind.ts';
import { importFormats, importKinds } from './kinds/index.ts';
import { changeStates, fileStates, type Operation, type OperationState } from './operation.ts';

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
    state: Type.Enum([...fileStates]),
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
  const { options, rowsTotal, rowsRead, rowsDone, rowsFailed, created, updated, unchanged } = operation;
  return presentAs(ImportView, {
    ...operation,
    mode: options['mode'] === 'create' ? 'create' : 'upsert',
    dryRun: options['dry_run'] === true,
    state: stateIn(fileStates, operation),
    rows: { total: rowsTotal, read: rowsRead, done: rowsDone, failed: rowsFailed },
    changes: { created, updated, unchanged },
    samples: operation.changes.map(({ subject, action, fields }) => ({ subject, action, fields: [...fields] })),
    rowsPerSecond: ratePerSecond(operation, now),
  });
}

/** Each type of operation has some of the states. */
function stateIn<State extends OperationState>(states: readonly State[], { id, state }: Operation): State {
  const known = states.find((each) => each === state);
  if (!known) throw new TypeError(`${id} cannot be ${state}.`);
  return known;
}

/** Null for no time at all. */
function ratePerSecond({ rowsDone, startedAt, finishedAt }: Operation, now: Date): number | null {
  const ms = startedAt ? (finishedAt ?? now).getTime() - startedAt.getTime() : 0;
  return ms > 0 ? Math.round((rowsDone * 10_000) / ms) / 10 : null;
}

const ChangeKindName = Type.Enum(
  changeKinds.map(({ name }) => name),
  { examples: ['prices'] },
);

/** The body of POST /admin/bulk-changes. `previewChange` validates the parts that depend on the kind. */
export const BulkChangeInput = Type.Object({
  kind: ChangeKindName,
  ids: Type.Optional(Type.Array(Text(100), { minItems: 1, maxItems: 1000, uniqueItems: true })),
  filter: Type.Optional(DocumentedAs(oneOfEach('filter'), { examples: [{ tag: 'wood' }] })),
  change: Type.Optional(DocumentedAs(oneOfEach('change'), { examples: [{ percent: -10 }] })),
});

/** The schemas of the kinds, each once. */
function oneOfEach(part: 'filter' | 'change') {
  const schemas = new Set(changeKinds.map((kind) => kind[part]).filter(({ properties }) => Object.keys(properties)[0]));
  return Type.Union([...schemas]);
}

const { properties: ofImport } = ImportView;

/** A bulk change as its owner sees it. */
export const BulkChangeView = Type.Object(
  {
    id: Type.String({ examples: ['chg_01m7xfs208fk1sctzyr3afnpz3'] }),
    kind: ChangeKindName,
    /** By what it was selected; null where ids were given. */
    filter: Nullable(FreeForm),
    change: FreeForm,
    state: Type.Enum([...changeStates]),
    failure: ofImport.failure,
    rows: Type.Object({ total: Count(), done: Count(), failed: Count() }),
    changes: Type.Object({ updated: Count(), unchanged: Count() }),
    /** How the first of what is selected would change. */
    samples: Type.Array(
      Type.Object({
        subject: Type.String({ examples: ['product oak-bowl'] }),
        action: Type.Enum(['updated', 'unchanged', 'rejected']),
        /** By field, before and after. */
        values: Type.Record(Type.String(), Type.Array(Type.Unknown()), {
          examples: [{ 'variants.BOWL-S.price_cents': [3800, 3420] }],
        }),
        /** Why it is rejected. */
        problem: Nullable(Type.String()),
      }),
    ),
    can_undo: Type.Boolean(),
    /** Which bulk change this one undoes. */
    undo_of: Nullable(Type.String()),
    undone_by: Nullable(Type.String()),
    rows_per_second: ofImport.rows_per_second,
    created_at: Timestamp,
    started_at: ofImport.started_at,
    finished_at: ofImport.finished_at,
  },
  { title: 'BulkChange' },
);

export function presentBulkChange(operation: Operation, now: Date): Static<typeof BulkChangeView> {
  const { rowsTotal, rowsDone, rowsFailed, updated, unchanged } = operation;
  return presentAs(BulkChangeView, {
    ...operation,
    change: operation.options,
    state: stateIn(changeStates, operation),
    rows: { total: rowsTotal ?? 0, done: rowsDone, failed: rowsFailed },
    changes: { updated, unchanged },
    samples: operation.changes.map(({ subject, action, values = {}, problem = null }) => ({
      subject,
      action: action === 'unchanged' || action === 'rejected' ? action : 'updated',
      values: Object.fromEntries(Object.entries(values).map(([field, pair]) => [field, [...pair]])),
      problem,
    })),
    canUndo: canUndo(operation),
    undoOf: operation.undoes,
    rowsPerSecond: ratePerSecond(operation, now),
  });
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
  const isCompleted = operation.state === 'completed';
  return presentAs(ExportView, {
    ...operation,
    ...rangeOf(operation),
    format: exportFormats.find((each) => each === operation.format) ?? 'csv',
    state: stateIn(fileStates, operation),
    rows: isCompleted ? operation.rowsTotal : null,
    fileBytes: isCompleted ? operation.fileBytes : null,
    url: link?.url,
    expiresAt: link?.expiresAt,
  });
}
