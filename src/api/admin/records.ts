import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { AuditEntryView, listAudit, presentAuditEntry } from '#src/domain/audit/index.ts';
import { listReminderDecisions, presentReminderDecision, ReminderDecisionView } from '#src/domain/reminders/index.ts';
import { moduleNames } from '#src/domain/tenants/index.ts';
import { Email, PageOf, PageQuery, Text, Type } from '#src/lib/schema.ts';
import { reading, searched } from './audience.ts';

export const getModules = defineRoute({
  ...reading('settings'),
  operationId: 'admin.listModules',
  method: 'get',
  path: '/api/v1/admin/modules',
  summary: 'Read which modules are enabled for the store.',
  responses: {
    200: Type.Object({
      modules: Type.Record(Type.Enum([...moduleNames]), Type.Boolean(), {
        examples: [{ customer_accounts: true, subscriptions: true, gift_cards: false, reviews: true }],
      }),
    }),
  },
  async handle({ ctx }) {
    return ok({ modules: ctx.tenant.modules });
  },
});

export const getAuditLog = defineRoute({
  ...reading('settings'),
  operationId: 'admin.listAuditLog',
  method: 'get',
  path: '/api/v1/admin/audit-log',
  summary: 'List the audit log, newest first, optionally of one subject.',
  description: searched('entries'),
  query: Type.Object({
    subject_kind: Type.Optional(Text(100, { examples: ['product'] })),
    subject_id: Type.Optional(Text(300, { examples: ['prod_01m7xfs208fk1sctzyr3afnpz3'] })),
    ...PageQuery,
  }),
  responses: { 200: PageOf('entries', AuditEntryView) },
  async handle({ ctx, query: { subject_kind: subjectKind, subject_id: subjectId, cursor, limit = 20 } }) {
    const page = await listAudit(ctx, { subjectKind, subjectId, cursor, limit });
    return ok({ entries: page.rows.map(presentAuditEntry), cursor: page.cursor });
  },
});

export const getReminders = defineRoute({
  ...reading('customers'),
  operationId: 'admin.listReminders',
  method: 'get',
  path: '/api/v1/admin/reminders',
  summary: 'List the decisions about reminders of saved carts with their reasons, newest first.',
  query: Type.Object({ email: Type.Optional(Email), ...PageQuery }),
  responses: { 200: PageOf('reminders', ReminderDecisionView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listReminderDecisions(ctx, query);
    return ok({ reminders: rows.map(presentReminderDecision), cursor });
  },
});
