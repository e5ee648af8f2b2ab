import { textWidth } from '#src/lib/text-width.ts';
import type { Block, EmailBranding, EmailDocument, Line } from './document.ts';

const columns = 64;

/** The email as plain text, for mail programs that show no HTML. */
export function renderText(email: EmailDocument, branding: EmailBranding): string {
  const body = email.blocks.map(renderBlock).filter((text) => text !== '');
  const unsubscribe = email.unsubscribeUrl ? [{ label: 'Unsubscribe', url: email.unsubscribeUrl }] : [];
  const links = [...unsubscribe, { label: branding.name, url: branding.url }, ...branding.links].map(
    ({ label, url }) => `${label}: ${url}`,
  );
  const foot = ['-- ', email.reason, ...links].join('\n');
  return `${[branding.name, ...body, foot].join('\n\n')}\n`;
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${block.text}\n${'='.repeat(Math.min(textWidth(block.text), columns))}`;
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
      return block.lines.map(renderLine).join('\n');
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

function renderLine({ name, detail, amount }: Line): string {
  const what = detail ? `${name} (${detail})` : name;
  return amount === null ? `- ${what}` : justify(what, amount).trimEnd();
}

function justify(left: string, right: string): string {
  return `${left}${' '.repeat(Math.max(2, columns - textWidth(left) - textWidth(right)))}${right}`;
}
