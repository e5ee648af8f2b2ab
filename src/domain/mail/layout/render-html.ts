import { escapeHtml } from '#src/lib/html.ts';
import { writtenHostOf } from '#src/lib/url.ts';
import type { Block, EmailBranding, EmailDocument, Fact, Line } from './document.ts';
import { contrastOn, legible, styles, stylesheet } from './theme.ts';

/** The email as HTML that all mail programs show alike, even old ones: tables, inline styles and no external files. */
export function renderHtml(email: EmailDocument, branding: EmailBranding): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(email.subject)}</title>
<style>${stylesheet}</style>
</head>
<body style="${styles.page}">
<div style="${styles.preview}">${escapeHtml(email.preview)}</div>
${table(
  // Mail programs that show an email within their own page leave out its html element, and the language with it.
  'class="page" lang="en"',
  styles.page,
  `<tr><td align="center" class="margin" style="${styles.margin}">
${table(
  '',
  styles.column,
  `
<tr><td style="${styles.head}">${link('text', styles.name, branding.url, escapeHtml(branding.name))}</td></tr>
<tr><td class="card" style="${styles.card};border-top:4px solid ${branding.accent}">
${email.blocks.map((block) => renderBlock(block, branding)).join('\n')}
</td></tr>
<tr><td class="quiet" style="${styles.foot}">${renderFoot(email, branding)}</td></tr>
`,
)}
</td></tr>`,
)}
</body>
</html>
`;
}

function renderFoot({ reason, unsubscribeUrl }: EmailDocument, branding: EmailBranding): string {
  const quiet = (url: string, label: string) => link('quiet', styles.quiet, url, escapeHtml(label));
  const unsubscribe = unsubscribeUrl ? ` ${quiet(unsubscribeUrl, 'Unsubscribe')}` : '';
  const links = [{ label: writtenHostOf(branding.url), url: branding.url }, ...branding.links];
  return `${escapeHtml(reason)}${unsubscribe}<br>
${links.map(({ label, url }) => quiet(url, label)).join(' &nbsp;&middot;&nbsp; ')}`;
}

function renderBlock(block: Block, branding: EmailBranding): string {
  switch (block.kind) {
    case 'heading':
      return `<h1 style="${styles.heading}">${escapeHtml(block.text)}</h1>`;
    case 'paragraph':
      return `<p style="${styles.paragraph}">${withLineBreaks(block.text)}</p>`;
    case 'note':
      return `<p class="quiet" style="${styles.note}">${withLineBreaks(block.text)}</p>`;
    case 'code':
      return `<p class="panel" style="${styles.code}">${escapeHtml(block.text)}</p>`;
    case 'button':
      return renderButton(block.label, block.url, branding.accent);
    case 'quote':
      return renderQuote(block.text, block.by, branding.accent);
    case 'image':
      return `<img src="${escapeHtml(block.url)}" alt="${escapeHtml(block.alt)}" width="486" style="${styles.image}">`;
    case 'lines':
      return table('', styles.table, block.lines.map(renderLine).join(''));
    case 'totals':
      return table('', styles.table, block.lines.map(renderTotal).join(''));
    case 'facts':
      return block.facts.map((fact) => renderFact(fact, branding)).join('\n');
  }
}

/** A coloured table cell with a link: the only kind of button that every mail program shows. */
function renderButton(label: string, url: string, accent: string): string {
  const face = link('', `${styles.button};color:${contrastOn(accent)}`, url, escapeHtml(label));
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:6px 0 24px"><tr>
<td style="background:${accent};border-radius:8px">${face}</td></tr></table>`;
}

function renderQuote(text: string, by: string | null, accent: string): string {
  const author = by ? `<div class="quiet" style="${styles.author}">${escapeHtml(by)}</div>` : '';
  return `<blockquote dir="auto" class="panel" style="${styles.quote};border-left:3px solid ${accent}">
${withLineBreaks(text)}${author}</blockquote>`;
}

function renderLine({ name, detail, amount }: Line): string {
  const more = detail ? `<div class="quiet" style="${styles.detail}">${escapeHtml(detail)}</div>` : '';
  const price = amount === null ? '' : cell('rule', styles.amount, escapeHtml(amount), 'right');
  return `<tr>${cell('rule', styles.line, inOwnDirection(name) + more)}${price}</tr>`;
}

function renderTotal({ label, amount, strong }: { label: string; amount: string; strong?: boolean }): string {
  const [tone, style] = strong ? ['text', styles.total] : ['quiet', styles.subtotal];
  return `<tr>${cell(tone, style, escapeHtml(label))}${cell(tone, style, escapeHtml(amount), 'right')}</tr>`;
}

function renderFact({ label, values, url }: Fact, branding: EmailBranding): string {
  const text = values.map(inOwnDirection).join('<br>');
  const value = url ? link('link', `color:${legible(branding.accent)};font-weight:600`, url, text) : text;
  const name = `<span class="quiet" style="${styles.label}">${escapeHtml(label)}</span>`;
  return `<p style="${styles.fact}">${name}${value}</p>`;
}

/** `inner` is already HTML, here and below. */
function table(attributes: string, style: string, inner: string): string {
  return (
    `<table role="presentation" ${attributes} width="100%" cellpadding="0" cellspacing="0" ` +
    `style="${style}">${inner}</table>`
  );
}

function cell(tone: string, style: string, inner: string, align = 'left'): string {
  return `<td class="${tone}" align="${align}" valign="top" style="${style}">${inner}</td>`;
}

function link(tone: string, style: string, url: string, inner: string): string {
  return `<a class="${tone}" href="${escapeHtml(url)}" style="${style}">${inner}</a>`;
}

/** Of a store or a shopper, who may write from right to left: its words and numbers stay in their order beside English. */
function inOwnDirection(text: string): string {
  return `<span dir="auto">${escapeHtml(text)}</span>`;
}

/** Escape a text for HTML and preserve its line breaks. */
function withLineBreaks(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}
