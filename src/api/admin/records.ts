import { defineRoute, toBearer } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { AuditEntryView, listAudit, presentAuditEntry } from '#src/domain/audit/index.ts';
import { listReminderDecisions, presentReminderDecision, ReminderDecisionView } from '#src/domain/reminders/index.ts';
import { moduleNames } from '#src/domain/tenants/index.ts';
import { Email, Nullable, PageQuery, Text, Type } from '#src/lib/schema.ts';

const reading = { method: 'get', tag: 'admin', audience: toBearer('admin:read') } as const;
const cursor = Nullable(Type.String());

export const getModules = defineRoute({
  ...reading,
  path: '/api/v1/admin/modules',
  summary: 'Read what the operator has switched on for the store.',
  answers: {
    200: Type.Object({ modules: Type.Record(Type.Enum([...moduleNames]), Type.Boolean(), {
      examples: [{ customer_accounts: true, subscriptions: true, gift_cards: false, reviews: true }],
    }) }),
  },
  async handle({ ctx }) {
    return ok({ modules: ctx.tenant.modules });
  },
});

export const getAuditLog = defineRoute({
  ...reading,
  path: '/api/v1/admin/audit-log',
  summary: 'List who changed what, the newest first; of one thing, where its kind and id are named.',
  query: Type.Object({
    subject_kind: Type.Optional(Text(100, { examples: ['product'] })),
    subject_id: Type.Optional(Text(300, { examples: ['prod_01m7xfs208fk1sctzyr3afnpz3'] })),
    ...PageQuery,
  }),
  answers: { 200: Type.Object({ entries: Type.Array(AuditEntryView), cursor }) },
  async handle({ ctx, query: { subject_kind: subjectKind, subject_id: subjectId, cursor, limit = 20 } }) {
    const page = await listAudit(ctx, { subjectKind, subjectId, cursor, limit });
    return ok({ entries: page.rows.map(presentAuditEntry), cursor: page.cursor });
  },
});

export const getReminders = defineRoute({
  ...reading,
  path: '/api/v1/admin/reminders',
  summary: 'List what was decided of each reminder of a saved cart, and why, the newest first.',
  query: Type.Object({ email: Type.Optional(Email), ...PageQuery }),
  answers: { 200: Type.Object({ reminders: Type.Array(ReminderDecisionView), cursor }) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listReminderDecisions(ctx, query);
    return ok({ reminders: rows.map(presentReminderDecision), cursor });
  },
});
