import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { auditedSave, auditedUpdate, ExpectedVersion } from '#src/domain/audit/index.ts';
import {
  issuesOfReminders,
  presentReminderSettings,
  ReminderSettingsInput,
  ReminderSettingsView,
  reminderSettings,
  saveReminderSettings,
} from '#src/domain/reminders/index.ts';
import { indexInLanguage } from '#src/domain/search/index.ts';
import {
  issuesOfStore,
  lockStore,
  presentStore,
  readStore,
  StoreSettingsInput,
  StoreSettingsView,
  saveStoreSettings,
} from '#src/domain/tenants/index.ts';
import { rejectIssues } from '#src/lib/errors.ts';
import { Type } from '#src/lib/schema.ts';
import { owning, reading, writing } from './audience.ts';

const StoreResponse = Type.Object({ store: StoreSettingsView });
const RemindersResponse = Type.Object({ reminders: ReminderSettingsView });

export const getStore = defineRoute({
  ...reading('settings'),
  operationId: 'admin.getStore',
  method: 'get',
  path: '/api/v1/admin/store',
  summary: "Read the store's settings.",
  responses: { 200: StoreResponse },
  handle: async ({ ctx }) => ok({ store: presentStore(await readStore(ctx)) }),
});

/** The audit log stores no email: it lists the field's name only. */
const withoutEmails = ({ owner_email: _, mail_from: _sender, ...store }: StoreSettingsView) => store;

export const putStore = defineRoute({
  ...owning,
  operationId: 'admin.saveStore',
  method: 'put',
  path: '/api/v1/admin/store',
  summary: "Replace the store's settings. Omitted fields are set to their defaults.",
  description:
    'Operators change what is missing here: the slug, the currency and the email of the owner. They also set the ' +
    'address in `mail_from`, of which only the name may change here. Null removes both.',
  body: Type.Object({ ...StoreSettingsInput.properties, version: ExpectedVersion }),
  errors: ['version_conflict'],
  responses: { 200: StoreResponse },
  async handle({ ctx, body: { version, ...input } }) {
    const { slug, ownerEmail: owner_email, currency } = ctx.tenant;
    rejectIssues(issuesOfStore({ slug, owner_email, currency, ...input }, ctx.settings));
    const store = await auditedUpdate<StoreSettingsView>(
      ctx,
      {
        kind: 'store',
        name: slug,
        lock: (ctx) => lockStore(ctx, slug),
        view: async (ctx) => presentStore(await readStore(ctx)),
        logged: withoutEmails,
        change: async (ctx) => indexInLanguage(ctx, await saveStoreSettings(ctx, input)),
      },
      { version },
    );
    return ok({ store });
  },
});

export const getReminderSettings = defineRoute({
  ...reading('settings'),
  operationId: 'admin.getReminderSettings',
  method: 'get',
  path: '/api/v1/admin/reminder-settings',
  summary: 'Read the settings of reminders.',
  responses: { 200: RemindersResponse },
  handle: async ({ ctx }) => ok({ reminders: presentReminderSettings(await reminderSettings(ctx)) }),
});

export const putReminderSettings = defineRoute({
  ...writing('settings'),
  operationId: 'admin.saveReminderSettings',
  method: 'put',
  path: '/api/v1/admin/reminder-settings',
  summary: 'Replace the settings of reminders. Omitted fields are set to their defaults.',
  body: ReminderSettingsInput,
  responses: { 200: RemindersResponse },
  async handle({ ctx, body }) {
    rejectIssues(issuesOfReminders(body, ctx.settings));
    const { view } = await auditedSave(ctx, {
      kind: 'reminders',
      name: 'reminders',
      view: async (ctx) => presentReminderSettings(await reminderSettings(ctx)),
      change: (ctx) => saveReminderSettings(ctx, body),
    });
    return ok({ reminders: view });
  },
});
