import { decodeHTMLStrict } from 'entities';

/** Text that is HTML already. Everything else that is inserted into a page is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = Html | string | number | null | undefined | false | readonly Piece[];

/** Write HTML as text with values in place; values are escaped, lists are joined, nothing is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(strings.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

/** Text as HTML, also between the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}

function render(value: Piece): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(render).join('') : escapeHtml(String(value));
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Elements that have lines of their own. */
const blockNames =
  'article blockquote dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section table tbody tr ul';
const blocks = new Set(blockNames.split(' '));

/** The text of a piece of HTML: a line for each block, without its tags, comments, styles and scripts. */
export function textOfHtml(markup: string): string {
  const text = withoutComments(markup)
    .split(/<\/?(?:script|style)\b[^<>]*>/i)
    .filter((_, index) => index % 2 === 0)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<(\/?)(\w+)\b[^<>]*>/g, (_, slash, name) => spaceOf(name.toLowerCase(), slash !== ''))
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/ +/g, ' ');
  return decodeHTMLStrict(text)
    .split('\n')
    .map(withoutEmptyBlocks)
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** What a tag leaves of itself in a text. */
function spaceOf(element: string, isEnd: boolean): string {
  if (element === 'br') return '\n';
  if (blocks.has(element)) return '\v';
  return isEnd && (element === 'td' || element === 'th') ? ' ' : '';
}

const withoutEmptyBlocks = (line: string): string => {
  const blocks = line.split('\v').map((block) => block.trim());
  return blocks.filter((block) => block !== '').join('\n');
};

/** Each part is read once: there may be many comments that do not end. */
function withoutComments(markup: string): string {
  const [before = '', ...others] = markup.split('<!--');
  return before + others.map((part) => part.slice(part.indexOf('-->') + 1).replace(/^->/, '')).join('');
}
