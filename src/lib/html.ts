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
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

function render(value: Piece): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(render).join('') : escapeHtml(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
