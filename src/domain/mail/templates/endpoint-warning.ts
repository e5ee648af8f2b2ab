import type { Template } from './template.ts';

/** To the store's owner: an endpoint is failing, or was disabled for it. */
export const endpointWarning: Template<'endpoint_warning'> = (ctx, { data }) => {
  const since = data.failing_since ? new Date(data.failing_since).toUTCString() : null;
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
        text: 'The list of deliveries shows the latest responses. No data was lost: missed webhooks can be sent again.',
      },
    ],
  };
};

function whatHappened(disabled: 'failing' | 'gone' | null): { title: string; text: string } {
  switch (disabled) {
    case 'gone':
      return {
        title: 'A webhook endpoint was disabled: 410 Gone',
        text: 'It responded 410 Gone, so we have disabled it. If that was a mistake, enable it again and recover what it missed.',
      };
    case 'failing':
      return {
        title: 'A webhook endpoint was disabled',
        text: 'It has been failing for five days, so we have stopped trying. Once it works again, enable it and recover what it missed.',
      };
    case null:
      return {
        title: 'A webhook endpoint is failing',
        text: 'We keep retrying. After five days without a success we will disable it.',
      };
  }
}
