import { escapeHtml } from '#src/lib/html.ts';
import type { Block, EmailBranding, EmailDocument, Fact, Line } from './document.ts';
import { contrastOn, sheet, styles } from './theme.ts';

/** The letter as HTML that mail programs, old ones too, show alike: tables, inline styles and no outside files. */
export function setAsHtml(letter: EmailDocument, head: EmailBranding): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(letter.subject)}</title>
<style>${sheet}</style>
</head>
<body style="${styles.desk}">
<div style="${styles.preview}">${escapeHtml(letter.preview)}</div>
${table(
  'class="desk"',
  styles.desk,
  `<tr><td align="center" class="margin" style="${styles.margin}">
${table(
  '',
  styles.column,
  `
<tr><td style="${styles.head}">${link('text', styles.name, head.url, escapeHtml(head.name))}</td></tr>
<tr><td class="paper" style="${styles.paper};border-top:4px solid ${head.accent}">
${letter.blocks.map((block) => setBlock(block, head)).join('\n')}
</td></tr>
<tr><td class="quiet" style="${styles.foot}">${setFoot(letter, head)}</td></tr>
`,
)}
</td></tr>`,
)}
</body>
</html>
`;
}

function setFoot({ reason, unsubscribeUrl }: EmailDocument, head: EmailBranding): string {
  const quiet = (url: string, label: string) => link('quiet', styles.quiet, url, escapeHtml(label));
  const unsubscribe = unsubscribeUrl ? ` ${quiet(unsubscribeUrl, 'Unsubscribe')}` : '';
  const links = [{ label: new URL(head.url).host, url: head.url }, ...head.links];
  return `${escapeHtml(reason)}${unsubscribe}<br>
${links.map(({ label, url }) => quiet(url, label)).join(' &nbsp;&middot;&nbsp; ')}`;
}

function setBlock(block: Block, head: EmailBranding): string {
  switch (block.kind) {
    case 'heading':
      return `<h1 style="${styles.heading}">${escapeHtml(block.text)}</h1>`;
    case 'paragraph':
      return `<p style="${styles.paragraph}">${paragraphs(block.text)}</p>`;
    case 'note':
      return `<p class="quiet" style="${styles.note}">${paragraphs(block.text)}</p>`;
    case 'code':
      return `<p class="well" style="${styles.code}">${escapeHtml(block.text)}</p>`;
    case 'button':
      return setButton(block.label, block.url, head.accent);
    case 'quote':
      return setQuote(block.text, block.by, head.accent);
    case 'image':
      return `<img src="${escapeHtml(block.url)}" alt="${escapeHtml(block.alt)}" width="486" style="${styles.image}">`;
    case 'lines':
      return table('', styles.table, block.lines.map(setLine).join(''));
    case 'totals':
      return table('', styles.table, block.lines.map(setTotal).join(''));
    case 'facts':
      return block.facts.map((fact) => setFact(fact, head)).join('\n');
  }
}

/** A cell with a colour and a link in it: the one kind of button that every mail program draws. */
function setButton(label: string, url: string, accent: string): string {
  const face = link('', `${styles.button};color:${contrastOn(accent)}`, url, escapeHtml(label));
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:6px 0 24px"><tr>
<td style="background:${accent};border-radius:8px">${face}</td></tr></table>`;
}

function setQuote(text: string, by: string | null, accent: string): string {
  const author = by ? `<div class="quiet" style="${styles.author}">${escapeHtml(by)}</div>` : '';
  return `<blockquote class="well" style="${styles.quote};border-left:3px solid ${accent}">
${paragraphs(text)}${author}</blockquote>`;
}

function setLine({ name, detail, amount }: Line): string {
  const more = detail ? `<div class="quiet" style="${styles.detail}">${escapeHtml(detail)}</div>` : '';
  const price = amount === null ? '' : cell('rule', styles.amount, escapeHtml(amount), 'right');
  return `<tr>${cell('rule', styles.line, escapeHtml(name) + more)}${price}</tr>`;
}

function setTotal({ label, amount, strong }: { label: string; amount: string; strong?: boolean }): string {
  const [tone, style] = strong ? ['text', styles.total] : ['quiet', styles.subtotal];
  return `<tr>${cell(tone, style, escapeHtml(label))}${cell(tone, style, escapeHtml(amount), 'right')}</tr>`;
}

function setFact({ label, values, url }: Fact, head: EmailBranding): string {
  const text = values.map(escapeHtml).join('<br>');
  const value = url ? link('link', `color:${head.accent};font-weight:600`, url, text) : text;
  return `<p style="${styles.fact}"><span class="quiet" style="${styles.label}">${escapeHtml(label)}</span>${value}</p>`;
}

/** `inner` is HTML already, here and below. */
function table(attributes: string, style: string, inner: string): string {
  return `<table role="presentation" ${attributes} width="100%" cellpadding="0" cellspacing="0" style="${style}">${inner}</table>`;
}

function cell(tone: string, style: string, inner: string, align = 'left'): string {
  return `<td class="${tone}" align="${align}" valign="top" style="${style}">${inner}</td>`;
}

function link(tone: string, style: string, url: string, inner: string): string {
  return `<a class="${tone}" href="${escapeHtml(url)}" style="${style}">${inner}</a>`;
}

/** Text as HTML, with its line ends kept. */
function paragraphs(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}
