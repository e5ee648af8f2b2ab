import { escapeHtml, paragraphs } from './escape-html.ts';
import type { Block, Fact, Letter, Letterhead, Line } from './letter.ts';
import { inkOn } from './ink-on.ts';
import { ink, sheet } from './sheet.ts';

/** The letter as HTML that mail programs, old ones too, show alike: tables, inline styles and no outside files. */
export function setAsHtml(letter: Letter, head: Letterhead): string {
  const links = [{ label: new URL(head.url).host, url: head.url }, ...head.links];
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
<body style="margin:0;padding:0;background:${ink.desk}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(letter.preview)}</div>
<table role="presentation" class="desk" width="100%" cellpadding="0" cellspacing="0" style="background:${ink.desk}"><tr><td align="center" class="margin" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;font-family:${ink.font};color:${ink.text}">
<tr><td style="padding:0 4px 18px;font-size:17px;font-weight:700;letter-spacing:-0.01em">
<a class="text" href="${escapeHtml(head.url)}" style="color:${ink.text};text-decoration:none">${escapeHtml(head.name)}</a></td></tr>
<tr><td class="paper" style="background:${ink.paper};border:1px solid ${ink.rule};border-top:4px solid ${head.accent};border-radius:10px;padding:34px 36px 26px">
${letter.blocks.map((block) => setBlock(block, head)).join('\n')}
</td></tr>
<tr><td class="quiet" style="padding:20px 4px 0;font-size:13px;line-height:20px;color:${ink.quiet}">
${escapeHtml(letter.reason)}${setUnsubscribe(letter)}<br>
${links.map(({ label, url }) => `<a class="quiet" href="${escapeHtml(url)}" style="color:${ink.quiet}">${escapeHtml(label)}</a>`).join(' &nbsp;&middot;&nbsp; ')}
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

function setUnsubscribe({ unsubscribeUrl }: Letter): string {
  return unsubscribeUrl ? ` <a class="quiet" href="${escapeHtml(unsubscribeUrl)}" style="color:${ink.quiet}">Unsubscribe</a>` : '';
}

function setBlock(block: Block, head: Letterhead): string {
  switch (block.kind) {
    case 'heading':
      return `<h1 style="margin:0 0 14px;font-size:24px;line-height:31px;font-weight:700;letter-spacing:-0.02em">${escapeHtml(block.text)}</h1>`;
    case 'paragraph':
      return `<p style="margin:0 0 18px;font-size:16px;line-height:25px">${paragraphs(block.text)}</p>`;
    case 'button':
      return setButton(block.label, block.url, head.accent);
    case 'code':
      return `<p class="well" style="margin:4px 0 22px;padding:18px 8px;background:${ink.well};border-radius:8px;text-align:center;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:32px;line-height:38px;font-weight:700;letter-spacing:0.22em;text-indent:0.22em">${escapeHtml(block.text)}</p>`;
    case 'quote':
      return `<blockquote class="well" style="margin:4px 0 22px;padding:18px 20px;background:${ink.well};border-left:3px solid ${head.accent};border-radius:0 8px 8px 0;font-size:16px;line-height:25px;font-style:italic">${paragraphs(block.text)}${block.by ? `<div class="quiet" style="margin-top:8px;font-size:14px;font-style:normal;color:${ink.quiet}">${escapeHtml(block.by)}</div>` : ''}</blockquote>`;
    case 'image':
      return `<img src="${escapeHtml(block.url)}" alt="${escapeHtml(block.alt)}" width="486" style="display:block;width:100%;max-width:486px;height:auto;margin:4px 0 22px;border-radius:8px">`;
    case 'lines':
      return table(block.lines.map(setLine).join(''));
    case 'totals':
      return table(block.lines.map(setTotal).join(''));
    case 'facts':
      return block.facts.map((fact) => setFact(fact, head)).join('\n');
    case 'note':
      return `<p class="quiet" style="margin:0 0 14px;font-size:14px;line-height:21px;color:${ink.quiet}">${paragraphs(block.text)}</p>`;
  }
}

function setButton(label: string, url: string, accent: string): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:6px 0 24px"><tr><td style="background:${accent};border-radius:8px">
<a href="${escapeHtml(url)}" style="display:inline-block;padding:13px 24px;font-size:16px;line-height:20px;font-weight:600;color:${inkOn(accent)};text-decoration:none">${escapeHtml(label)}</a></td></tr></table>`;
}

function setLine({ name, detail, amount }: Line): string {
  const quiet = detail ? `<div class="quiet" style="font-size:14px;color:${ink.quiet}">${escapeHtml(detail)}</div>` : '';
  const price = amount ? `<td class="rule" align="right" valign="top" style="padding:11px 0 11px 16px;border-bottom:1px solid ${ink.rule};white-space:nowrap">${escapeHtml(amount)}</td>` : '';
  return `<tr><td class="rule" style="padding:11px 0;border-bottom:1px solid ${ink.rule}">${escapeHtml(name)}${quiet}</td>${price}</tr>`;
}

function setTotal({ label, amount, strong }: { label: string; amount: string; strong?: boolean }): string {
  const style = strong ? 'padding:10px 0 0;font-weight:700;font-size:17px' : `padding:2px 0;color:${ink.quiet}`;
  const tone = strong ? 'text' : 'quiet';
  return `<tr><td class="${tone}" style="${style}">${escapeHtml(label)}</td><td class="${tone}" align="right" style="${style};white-space:nowrap">${escapeHtml(amount)}</td></tr>`;
}

function setFact({ label, values, url }: Fact, head: Letterhead): string {
  const text = values.map(escapeHtml).join('<br>');
  const value = url ? `<a class="link" href="${escapeHtml(url)}" style="color:${head.accent};font-weight:600">${text}</a>` : text;
  return `<p style="margin:0 0 18px;font-size:16px;line-height:24px;overflow-wrap:anywhere"><span class="quiet" style="display:block;font-size:13px;color:${ink.quiet}">${escapeHtml(label)}</span>${value}</p>`;
}

function table(rows: string): string {
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 18px;font-size:16px;line-height:23px">${rows}</table>`;
}
