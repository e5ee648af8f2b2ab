import type { Template } from './template.ts';

/** To the store's owner: an endpoint is failing, or was disabled for it. */
export const endpointWarning: Template<'endpoint_warning'> = (ctx, { data }) => {
  const since = data.failing_since ? utc(data.failing_since) : null;
  const { title, text } = whatHappened(data.disabled);
  return {
    subject: `${title} (${ctx.tenant.name})`,
    preview: data.url,
    reason: `You get this email because you own the store ${ctx.tenant.name}.`,
    blocks: [
      { kind: 'heading', text: title },
      { kind: 'paragraph', text },
      {
        kind: 'facts',
        facts: [{ label: 'URL', values: [data.url] }, ...(since ? [{ label: 'Failing since', values: [since] }] : [])],
      },
      {
        kind: 'note',
        text: 'The deliveries of the endpoint show its latest responses. No data was lost: webhooks can be sent again.',
      },
    ],
  };
};

/** Such as "Wed, 18 Nov 2026 09:00 UTC". */
const utc = (time: string) => new Date(time).toUTCString().replace(/:\d\d GMT$/, ' UTC');

function whatHappened(disabled: 'failing' | 'gone' | null): { title: string; text: string } {
  switch (disabled) {
    case 'gone':
      return {
        title: 'A webhook endpoint was disabled: 410 Gone',
        text:
          'It responded 410 Gone, so we have disabled it. If that was a mistake, enable it again and recover what it ' +
          'missed. Otherwise, you do not need to do anything.',
      };
    case 'failing':
      return {
        title: 'A webhook endpoint was disabled',
        text:
          'It has been failing for five days, so we have stopped trying. Once it works again, enable it and recover ' +
          'what it missed.',
      };
    case null:
      return {
        title: 'A webhook endpoint is failing',
        text:
          'Please check that it is reachable and responds with a 2xx status. We keep retrying. After five days ' +
          'without a success, we will disable it.',
      };
  }
}
