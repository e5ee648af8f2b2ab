import { escapeHtml } from '#src/lib/escape-html.ts';

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

/** HTML with values in place: they are escaped, unless they are HTML themselves. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => `${text}${textOf(parts[index - 1])}${string}`));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === undefined || part === false) return '';
  return typeof part === 'object' ? part.map(textOf).join('') : escapeHtml(String(part));
}

/** The little of Markdown that our own texts use: headings of the second degree, paragraphs and `code`. */
export function markdown(text: string): Html[] {
  return text.split('\n\n').map((block) =>
    (block.startsWith('## ') ? html`<h3>${block.slice(3)}</h3>` : html`<p>${inline(block)}</p>`));
}

export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?\b/g;

/** JSON as a person reads it, its names, texts and values told apart by colour. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2) ?? '';
  const parts: Part[] = [];
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
