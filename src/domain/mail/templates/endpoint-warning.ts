import type { Template } from './template.ts';

/** To the store's owner: an endpoint does not take its webhooks, or was switched off because of it. */
export const endpointWarning: Template<'endpoint_warning'> = (ctx, { data }) => {
  const since = data.failing_since ? new Date(data.failing_since).toUTCString() : null;
  const { title, text } = whatHappened(data.disabled);
  return {
    subject: `${title} (${ctx.tenant.name})`,
    preview: data.address,
    reason: `You get this mail because you own the store ${ctx.tenant.name}.`,
    blocks: [
      { kind: 'heading', text: title },
      { kind: 'paragraph', text },
      {
        kind: 'facts',
        facts: [
          { label: 'Address', values: [data.address] },
          ...(since ? [{ label: 'Without a success since', values: [since] }] : []),
        ],
      },
      {
        kind: 'note',
        text: 'The answers to the latest attempts are in the list of deliveries. Nothing is lost: what was missed can be sent again.',
      },
    ],
  };
};

function whatHappened(disabled: 'failing' | 'gone' | null): { title: string; text: string } {
  switch (disabled) {
    case 'gone':
      return {
        title: 'A webhook endpoint said that it is gone',
        text: 'It answered 410 Gone, so we have switched it off. If that was a mistake, switch it on again and recover what it missed.',
      };
    case 'failing':
      return {
        title: 'A webhook endpoint was switched off',
        text: 'It has taken nothing for five days, so we have stopped trying. Once it works again, switch it on and recover what it missed.',
      };
    case null:
      return {
        title: 'A webhook endpoint does not answer well',
        text: 'We keep trying for a while. After five days without a success we will switch it off.',
      };
  }
}
