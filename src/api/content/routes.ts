import { defineRoute, toDual, toPublic } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { Tag } from '#src/domain/catalog/index.ts';
import {
  EntryBody,
  EntryType,
  findEntry,
  listActiveAnnouncements,
  listEntries,
  presentEntry,
} from '#src/domain/content/index.ts';
import { PageOf, PageQuery, Slug, Text, Type } from '#src/lib/schema.ts';

const EntriesBody = PageOf('entries', EntryBody);

/** A storefront shows all active announcements, so the default is the largest page. */
const AnnouncementsLimit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 }));

/** Not cached, because an announcement may start or end at any moment. */
export const getActiveAnnouncements = defineRoute({
  operationId: 'listActiveAnnouncements',
  method: 'get',
  path: '/api/v1/content/announcements/active',
  tag: 'content',
  summary: 'List the active announcements.',
  audience: toPublic,
  limit: 'ceiling',
  query: Type.Object({ ...PageQuery, limit: AnnouncementsLimit }),
  responses: { 200: EntriesBody },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listActiveAnnouncements(ctx, query);
    return ok({ entries: rows.map(presentEntry), cursor });
  },
});

export const getEntries = defineRoute({
  operationId: 'listEntries',
  method: 'get',
  path: '/api/v1/content/:type',
  tag: 'content',
  summary: 'List the published entries of a type, newest first.',
  audience: toDual('content:read'),
  params: Type.Object({ type: Text(1000, { examples: ['article'] }) }),
  query: Type.Object({ tag: Type.Optional(Tag), ...PageQuery }),
  limit: 'reads',
  responses: { 200: EntriesBody },
  caching: 'revalidate',
  cacheable: true,
  async handle({ ctx, params, query }) {
    const { rows, cursor } = await listEntries(ctx, params.type, query);
    return ok({ entries: rows.map(presentEntry), cursor });
  },
});

export const getEntry = defineRoute({
  operationId: 'getEntry',
  method: 'get',
  path: '/api/v1/content/:type/:slug',
  tag: 'content',
  summary: 'Read a published entry.',
  audience: toDual('content:read'),
  params: Type.Object({ type: EntryType, slug: Slug }),
  limit: 'reads',
  responses: { 200: Type.Object({ entry: EntryBody }) },
  caching: 'revalidate',
  cacheable: true,
  async handle({ ctx, params }) {
    return ok({ entry: presentEntry(await findEntry(ctx, params.type, params.slug)) });
  },
});
