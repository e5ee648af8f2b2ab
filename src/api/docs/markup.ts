import { type Html, html, type Piece } from '#src/lib/html.ts';

/** The little of Markdown that our own texts use: headings of the second degree, paragraphs and `code`. */
export function markdown(text: string): Html[] {
  return text
    .split('\n\n')
    .map((block) => (block.startsWith('## ') ? html`<h3>${block.slice(3)}</h3>` : html`<p>${inline(block)}</p>`));
}

/** A text with `code` in it. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

const token = /("(?:[^"\\]|\\[\s\S])*(?:"|\\?$))(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?\b/g;

/** JSON with its names and values in different colors. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2) ?? '';
  const parts: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon] = match;
    parts.push(text.slice(end, match.index));
    if (quoted) parts.push(html`<span class="${colon ? 'name' : 'text'}">${quoted}</span>${colon ?? ''}`);
    else parts.push(html`<span class="value">${whole}</span>`);
    end = match.index + whole.length;
  }
  return html`${parts}${text.slice(end)}`;
}
