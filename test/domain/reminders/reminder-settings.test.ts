import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { ReminderSettingsInput, saveReminderSettings } from '#src/domain/reminders/index.ts';
import { defaultReminderSettings, reminderSettings } from '#src/domain/reminders/reminder-settings.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { type TestContext, useContext } from '../../support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const save = (ctx: Context, input: ReminderSettingsInput) => transact(ctx, (ctx) => saveReminderSettings(ctx, input));

test('by default reminders come after an hour, a day and three days, never at night', async (t) => {
  t.deepEqual(await reminderSettings(t.context.ctx), defaultReminderSettings);
});

test('reminder settings are saved, and saving them twice changes nothing', async (t) => {
  const { ctx } = t.context;
  const input: ReminderSettingsInput = {
    steps: ['1h', '24h', '72h'],
    quiet_hours: ['21:00', '08:00'],
    per_address: '16h',
    enabled: true,
  };
  t.like(await save(ctx, input), { subject: 'reminders', action: 'created' });
  t.like(await save(ctx, input), { action: 'unchanged', fields: [] });
  t.deepEqual(await reminderSettings(ctx), defaultReminderSettings);

  t.like(await save(ctx, { steps: ['2s'], quiet_hours: null, per_address: '1h', enabled: false }), {
    action: 'updated',
    fields: ['enabled', 'steps', 'quiet_hours', 'per_address'],
  });
  t.deepEqual(await reminderSettings(ctx), {
    enabled: false,
    stepsMs: [seconds(2)],
    quietHours: null,
    perAddressMs: hours(1),
  });
});

test('steps that are not ascending, too many steps and invalid times are rejected', async (t) => {
  await t.throwsAsync(save(t.context.ctx, { steps: ['24h', '1h'] }), {
    instanceOf: DomainError,
    code: 'invalid_request',
  });
  const paths = (input: object) => issuesOf(ReminderSettingsInput, input).map(({ path }) => path);
  t.deepEqual(paths({ steps: ['1h', '2h', '3h', '4h'] }), ['/steps']);
  t.true(paths({ quiet_hours: ['21:00', '24:00'] }).includes('/quiet_hours/1'));
  t.deepEqual(paths({ per_address: 'often' }), ['/per_address']);
});
