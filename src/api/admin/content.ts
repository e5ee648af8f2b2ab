import { defineRoute, largeBodyBytesMax } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import { auditedCreation, auditedRemoval, auditedUpdate, ExpectedVersion } from '#src/domain/audit/index.ts';
import {
  EntryInput,
  type EntryName,
  EntryType,
  listManagedEntries,
  ManagedEntryView,
  presentManagedEntry,
  readManagedEntry,
  removeEntry,
  saveEntry,
} from '#src/domain/content/index.ts';
import type { Context } from '#src/domain/context.ts';
import { found } from '#src/lib/errors.ts';
import { Done, PageOf, PageQuery, Slug, Type } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

const Named = Type.Object({ type: EntryType, slug: Slug });
const EntryResponse = Type.Object({ entry: ManagedEntryView });

const viewOf = (name: EntryName) => async (ctx: Context) => {
  const entry = await readManagedEntry(ctx, name);
  return entry && presentManagedEntry(entry);
};

/** How the audit log identifies an entry. */
const named = ({ type, slug }: EntryName) => ({
  kind: 'content',
  name: `${type}/${slug}`,
  view: viewOf({ type, slug }),
});

export const getEntries = defineRoute({
  ...reading('content'),
  operationId: 'admin.listEntries',
  method: 'get',
  path: '/api/v1/admin/content',
  summary: 'List content entries including drafts, newest first.',
  query: Type.Object({ type: Type.Optional(EntryType), ...PageQuery }),
  responses: { 200: PageOf('entries', ManagedEntryView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listManagedEntries(ctx, query);
    return ok({ entries: rows.map(presentManagedEntry), cursor });
  },
});

export const postEntry = defineRoute({
  ...writing('content'),
  operationId: 'admin.createEntry',
  method: 'post',
  path: '/api/v1/admin/content',
  summary: 'Create a content entry.',
  body: EntryInput,
  bodyBytesMax: largeBodyBytesMax,
  responses: { 201: EntryResponse },
  async handle({ ctx, body }) {
    const entry = await auditedCreation(ctx, {
      ...named(body),
      nameField: '/slug',
      change: (ctx) => saveEntry(ctx, body),
    });
    return created({ entry });
  },
});

export const getEntry = defineRoute({
  ...reading('content'),
  operationId: 'admin.getEntry',
  method: 'get',
  path: '/api/v1/admin/content/:type/:slug',
  summary: 'Read a content entry, published or not.',
  params: Named,
  responses: { 200: EntryResponse },
  async handle({ ctx, params }) {
    return ok({ entry: found(await viewOf(params)(ctx), 'entry') });
  },
});

export const putEntry = defineRoute({
  ...writing('content'),
  operationId: 'admin.replaceEntry',
  method: 'put',
  path: '/api/v1/admin/content/:type/:slug',
  summary: 'Replace a content entry.',
  params: Named,
  body: Type.Object({ ...Type.Omit(EntryInput, ['type', 'slug']).properties, version: ExpectedVersion }),
  bodyBytesMax: largeBodyBytesMax,
  errors: ['version_conflict'],
  responses: { 200: EntryResponse },
  async handle({ ctx, params, body: { version, ...entry } }) {
    const replaced = await auditedUpdate(
      ctx,
      { ...named(params), change: (ctx) => saveEntry(ctx, { ...entry, ...params }) },
      { version },
    );
    return ok({ entry: replaced });
  },
});

export const deleteEntry = defineRoute({
  ...writing('content'),
  operationId: 'admin.deleteEntry',
  method: 'delete',
  path: '/api/v1/admin/content/:type/:slug',
  summary: 'Remove a content entry.',
  params: Named,
  responses: { 200: Done },
  async handle({ ctx, params }) {
    await auditedRemoval(ctx, { ...named(params), change: (ctx) => removeEntry(ctx, params) });
    return ok({ ok: true });
  },
});
