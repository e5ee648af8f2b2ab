/** What the mailbox reads out of a message: enough for what this service sends, not for all of MIME. */
export interface ParsedMessage {
  /** By lower-case name, unfolded and decoded; several of one name are joined by line breaks. */
  headers: Record<string, string>;
  text: string | null;
  html: string | null;
}

interface Part {
  headers: Record<string, string>;
  /** Each octet as one character, as it came. */
  body: string;
}

const partsMax = 100;

/** Read a message as SMTP delivered it. */
export function parseMessage(raw: Buffer): ParsedMessage {
  const whole = splitPart(raw.toString('latin1'));
  const leaves = leavesOf(whole, { left: partsMax });
  const first = (type: string) => {
    const leaf = leaves.find((part) => mediaType(part) === type && !isAttachment(part));
    return leaf ? textOf(leaf) : null;
  };
  return {
    headers: Object.fromEntries(Object.entries(whole.headers).map(([name, value]) => [name, decodeWords(value)])),
    text: first('text/plain'),
    html: first('text/html'),
  };
}

function splitPart(source: string): Part {
  const end = source.search(/\r?\n\r?\n/);
  const head = end < 0 ? source : source.slice(0, end);
  const body = end < 0 ? '' : source.slice(end).replace(/^\r?\n\r?\n/, '');
  const headers: Record<string, string> = {};
  for (const line of head.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)) {
    const [, name, value] = line.match(/^([^:\s]+):\s*(.*)$/) ?? [];
    if (name === undefined || value === undefined) continue;
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}\n${value}`;
  }
  return { headers, body };
}

function leavesOf(part: Part, budget: { left: number }): Part[] {
  if (!mediaType(part).startsWith('multipart/')) return [part];
  const boundary = parameter(part.headers['content-type'], 'boundary');
  if (boundary === undefined) return [];
  const pieces = `\r\n${part.body}`.split(`\n--${boundary}`).slice(1);
  return pieces.flatMap((piece) => {
    budget.left -= 1;
    if (piece.startsWith('--') || budget.left < 0) return [];
    return leavesOf(splitPart(piece.replace(/^[ \t]*\r?\n/, '').replace(/\r$/, '')), budget);
  });
}

function mediaType(part: Part): string {
  return (part.headers['content-type'] ?? 'text/plain').split(';')[0]?.trim().toLowerCase() ?? '';
}

function isAttachment(part: Part): boolean {
  return /^attachment/i.test(part.headers['content-disposition'] ?? '');
}

function parameter(header: string | undefined, name: string): string | undefined {
  const [, quoted, plain] = header?.match(new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, 'i')) ?? [];
  return quoted ?? plain;
}

function textOf(part: Part): string {
  const encoding = part.headers['content-transfer-encoding']?.trim().toLowerCase();
  const octets =
    encoding === 'base64'
      ? Buffer.from(part.body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? unquote(part.body) : part.body, 'latin1');
  const text = decode(octets, parameter(part.headers['content-type'], 'charset') ?? 'utf-8');
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

function unquote(body: string): string {
  return body
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The `=?utf-8?Q?…?=` of RFC 2047; white space between two such words is not part of the text. */
function decodeWords(value: string): string {
  return value.replace(/(\?=)\s+(?==\?)/g, '$1').replace(/(=\?([^?]+)\?([bq])\?([^?]*)\?=)+/gi, (words) => {
    const parts = [...words.matchAll(/=\?([^?]+)\?([bq])\?([^?]*)\?=/gi)];
    // A character may be cut in two by neighbouring words, so their octets are put together first.
    const octets = parts.map(([, , encoding, text = '']) =>
      encoding?.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64')
        : Buffer.from(unquote(text.replaceAll('_', ' ')), 'latin1'),
    );
    return decode(Buffer.concat(octets), parts[0]?.[1] ?? 'utf-8');
  });
}

function decode(octets: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(octets);
  } catch {
    // An unheard-of charset: show the message all the same.
    return octets.toString('utf8');
  }
}
