import { deriveCode } from '../../tenants/index.ts';
import type { Template } from './template.ts';

export const oneTimePassword: Template<'one_time_password'> = async (ctx, { data, subjectId }) => ({
  // Not in the subject or the preview: those are shown on locked screens.
  subject: `Your code for ${ctx.tenant.name}`,
  preview: 'Open this mail to see your code.',
  reason: `You get this mail because you own the store ${ctx.tenant.name}.`,
  blocks: [
    { kind: 'heading', text: 'Your one-time code' },
    { kind: 'paragraph', text: `Enter this code to ${data.action}.` },
    { kind: 'code', text: await deriveCode(ctx, data.purpose, subjectId) },
    {
      kind: 'note',
      text: `It works once and for ${data.valid_minutes} minutes. Never pass it on: nobody of ours will ask for it. If you did not ask for a code, somebody else holds a key to your store; revoke it.`,
    },
  ],
});
