import type { Block, EmailBranding, EmailDocument, Line } from './document.ts';

const columns = 64;

/** The letter as plain text, for readers and machines that want no HTML. */
export function setAsText(letter: EmailDocument, head: EmailBranding): string {
  const body = letter.blocks.map(setBlock).filter((text) => text !== '');
  const unsubscribe = letter.unsubscribeUrl ? [{ label: 'Unsubscribe', url: letter.unsubscribeUrl }] : [];
  const links = [...unsubscribe, { label: head.name, url: head.url }, ...head.links].map(
    ({ label, url }) => `${label}: ${url}`,
  );
  const foot = ['-- ', letter.reason, ...links].join('\n');
  return `${[head.name, ...body, foot].join('\n\n')}\n`;
}

function setBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${block.text}\n${'='.repeat(Math.min(block.text.length, columns))}`;
    case 'paragraph':
    case 'note':
      return block.text;
    case 'button':
      return `${block.label}:\n${block.url}`;
    case 'code':
      return `    ${block.text}`;
    case 'quote':
      return [...block.text.split('\n').map((line) => `> ${line}`), ...(block.by ? [`  ${block.by}`] : [])].join('\n');
    case 'image':
      return '';
    case 'lines':
      return block.lines.map(setLine).join('\n');
    case 'totals':
      return block.lines.map(({ label, amount }) => justify(label, amount)).join('\n');
    case 'facts':
      return block.facts
        .map(({ label, values, url }) =>
          [`${label}:`, ...values.map((value) => `  ${value}`), ...(url ? [`  ${url}`] : [])].join('\n'),
        )
        .join('\n');
  }
}

function setLine({ name, detail, amount }: Line): string {
  const what = detail ? `${name} (${detail})` : name;
  return amount ? justify(what, amount) : `- ${what}`;
}

function justify(left: string, right: string): string {
  return `${left}${' '.repeat(Math.max(2, columns - left.length - right.length))}${right}`;
}
