import { deriveCode } from '../../tenants/index.ts';
import type { Template } from './template.ts';

export const oneTimePassword: Template<'one_time_password'> = async (ctx, { data, subjectId }) => ({
  // The code is not in the subject or the preview, which locked screens show.
  subject: `Your code for ${ctx.tenant.name}`,
  preview: 'Open this email to see your code.',
  reason: `You get this email because you own the store ${ctx.tenant.name}.`,
  blocks: [
    { kind: 'heading', text: 'Your one-time code' },
    { kind: 'paragraph', text: `Enter this code to ${data.action}.` },
    { kind: 'code', text: await deriveCode(ctx, data.purpose, subjectId) },
    {
      kind: 'note',
      text:
        `It works once, within ${data.valid_minutes} minutes. Never share it: our staff will never ask for it. ` +
        'If you did not request a code, someone else has an API key of your store: revoke it. ' +
        'Nothing changes without this code.',
    },
  ],
});
