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

/** Names of characters in HTML 4: those of Latin-1 from the no-break space on, in order, and what typesetters use. */
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';
const named = new Map([
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", ndash: '–', mdash: '—', hellip: '…' }),
  ...Object.entries({ lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', bull: '•' }),
  ...Object.entries({ euro: '€', trade: '™', OElig: 'Œ', oelig: 'œ', Scaron: 'Š', scaron: 'š', Yuml: 'Ÿ' }),
  ...latin.split(' ').map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
]);

const blockTags =
  /<\/?(?:article|blockquote|d[dlt]|div|figcaption|figure|h[1-6r]|li|[ou]l|p|pre|section|table|tbody|tr)\b[^<>]*>/gi;

/** The text of a piece of HTML: a line for each block, without its tags, comments, styles and scripts. */
export function textOfHtml(markup: string): string {
  return withoutComments(markup)
    .split(/<\/?(?:script|style)\b[^<>]*>/i)
    .filter((_, index) => index % 2 === 0)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<br\b[^<>]*>/gi, '\n')
    .replaceAll(blockTags, '\v')
    .replaceAll(/<\/t[dh]\b[^<>]*>/gi, ' ')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z0-9]+));/gi, (entity, decimal, hexadecimal, name) => {
      if (name) return named.get(name) ?? named.get(String(name).toLowerCase()) ?? entity;
      const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : entity;
    })
    .split('\n')
    .map(withoutEmptyBlocks)
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
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
