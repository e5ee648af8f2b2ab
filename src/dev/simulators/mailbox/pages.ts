import { escapeHtml } from '#src/lib/html.ts';
import type { MailboxMessage } from './store.ts';

// The page polls for new messages, and reloads only when there are some.
const refresh = `<script>
  let stored;
  setInterval(async () => {
    const counts = await fetch('/_control/counts').then((response) => response.json()).catch(() => undefined);
    if (stored !== undefined && counts && counts.stored !== stored) location.reload();
    stored = counts?.stored ?? stored;
  }, 1500);
</script>`;

const fitFrame = `<script>
  for (const frame of document.querySelectorAll('iframe')) {
    const fit = () => {
      frame.style.height = 0;
      frame.style.height = frame.contentDocument.documentElement.scrollHeight + 2 + 'px';
    };
    frame.addEventListener('load', fit);
    addEventListener('resize', fit);
  }
</script>`;

/** The list of messages. */
export function inboxPage(messages: MailboxMessage[]): string {
  const rows = messages.map(
    (message) => `<li><a href="/messages/${message.id}">
      ${twoLines('who', nameOf(message.from), `to ${message.to.join(', ')}`)}
      ${twoLines('what', message.subject || '(no subject)', preview(message))}
      ${time(message)}
    </a></li>`,
  );
  const empty = '<p class="empty">No messages yet.<br>New messages appear here by themselves.</p>';
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return page(
    'Mailbox',
    `<header><h1>Mailbox</h1><p>${count}</p></header>
    ${rows.length > 0 ? `<ol class="inbox">${rows.join('')}</ol>` : empty}${refresh}`,
  );
}

/** One message: sender, recipients, subject, HTML, text and headers. */
export function messagePage(message: MailboxMessage): string {
  const facts = [
    ['From', message.from],
    ['To', message.to.join(', ')],
    ['Message-ID', message.message_id],
  ].map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`);
  const headers = Object.entries(message.headers).map(
    ([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  const html = message.html === null ? '' : section('HTML', frame(message), true);
  const text =
    message.text === null
      ? ''
      : section('Text', `<pre>${withLinks(escapeHtml(message.text))}</pre>`, message.html === null);
  return page(
    message.subject || '(no subject)',
    `<nav><a href="/">&larr; Mailbox</a><a href="/messages/${message.id}/source">Source</a></nav>
    <article>
      <header><h1>${escapeHtml(message.subject || '(no subject)')}</h1>${time(message)}</header>
      <dl>${facts.join('')}</dl>
      ${html}${text}
      ${section('Headers', `<table>${headers.join('')}</table>`, false)}
    </article>${fitFrame}`,
  );
}

/** The HTML of an email as a document whose links open in a new tab. */
export function mailDocument(html: string): string {
  const base = '<base target="_blank">';
  if (/<head[^>]*>/i.test(html)) return html.replace(/<head[^>]*>/i, (head) => head + base);
  return `<!doctype html>${base}${html}`;
}

function frame({ id, subject }: MailboxMessage): string {
  const sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';
  return `<iframe src="/messages/${id}/html" sandbox="${sandbox}" title="${escapeHtml(subject)}"></iframe>`;
}

function twoLines(name: string, first: string, second: string): string {
  return `<span class="${name}"><b>${escapeHtml(first)}</b><small>${escapeHtml(second)}</small></span>`;
}

function section(title: string, content: string, open: boolean): string {
  return `<details${open ? ' open' : ''}><summary>${title}</summary>${content}</details>`;
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main>${body}</main></body>
</html>`;
}

function time({ received_at: at }: MailboxMessage): string {
  return `<time datetime="${at}" title="${at}">${at.slice(11, 16)} UTC<small>${at.slice(0, 10)}</small></time>`;
}

function nameOf(from: string): string {
  return from.replace(/\s*<[^>]*>$/, '').replace(/^"(.*)"$/, '$1') || from;
}

function preview({ text, html }: MailboxMessage): string {
  const words = text ?? html?.replace(/<(style|head)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ') ?? '';
  return words
    .replace(/[\s=]+/g, ' ')
    .trim()
    .slice(0, 140);
}

function withLinks(escaped: string): string {
  return escaped.replace(
    /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)]/g,
    '<a href="$&" target="_blank" rel="noopener">$&</a>',
  );
}

const style = `
:root {
  --background: #f6f4ef; --surface: #fffefb; --text: #24221e; --faint: #7d786d; --line: #e6e1d6; --accent: #2f5d50;
}
@media (prefers-color-scheme: dark) {
  :root {
    --background: #171613; --surface: #1f1d1a; --text: #e9e5dc; --faint: #968f82; --line: #322f29; --accent: #8fc2b1;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--background); color: var(--text);
  font: 15px/1.5 ui-sans-serif, system-ui, 'Helvetica Neue', Arial, sans-serif;
}
main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; }
a { color: var(--accent); text-underline-offset: 0.2em; }
h1 {
  margin: 0; font: 400 1.7rem/1.25 Georgia, 'Iowan Old Style', serif; letter-spacing: -0.01em;
  overflow-wrap: anywhere;
}
small { display: block; color: var(--faint); font-size: 0.85rem; }
header {
  display: flex; align-items: baseline; justify-content: space-between; gap: 1.5rem;
  margin-bottom: 1.25rem;
}
header p { margin: 0; color: var(--faint); }
time { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
nav { display: flex; justify-content: space-between; margin-bottom: 1.25rem; font-size: 0.9rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
.inbox, article { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.inbox { margin: 0; padding: 0; list-style: none; overflow: hidden; }
.inbox li + li { border-top: 1px solid var(--line); }
.inbox a {
  display: grid; grid-template-columns: 15rem 1fr auto; gap: 1.5rem; padding: 0.85rem 1.25rem;
  color: inherit; text-decoration: none;
}
.inbox a:hover, .inbox a:focus-visible {
  background: color-mix(in srgb, var(--accent) 7%, transparent); outline: none;
}
.inbox b { display: block; font-weight: 600; }
.inbox span { min-width: 0; }
.inbox b, .inbox small { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.empty { padding: 5rem 1rem; text-align: center; color: var(--faint); }
article { padding: 1.75rem; }
dl {
  display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1.25rem; margin: 0 0 1.5rem;
  font-size: 0.92rem;
}
dt, th { color: var(--faint); font-weight: 400; }
dd { margin: 0; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--line); padding: 0.9rem 0 0; margin-top: 0.9rem; }
summary {
  cursor: pointer; color: var(--faint); font-size: 0.78rem; letter-spacing: 0.08em; text-transform: uppercase;
}
details[open] > summary { margin-bottom: 0.9rem; }
iframe {
  display: block; width: 100%; height: 60vh; border: 1px solid var(--line); border-radius: 6px;
  background: #fff;
}
pre {
  margin: 0; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 13.5px/1.6 ui-monospace, Menlo, Consolas, monospace;
}
table { border-collapse: collapse; font-size: 0.85rem; }
th { padding: 0.15rem 1.25rem 0.15rem 0; text-align: left; vertical-align: top; white-space: nowrap; }
td { overflow-wrap: anywhere; white-space: pre-line; }
@media (max-width: 42rem) {
  .inbox a { grid-template-columns: 1fr auto; gap: 0.15rem 1rem; }
  .inbox .what { grid-row: 2; grid-column: 1 / -1; }
  article { padding: 1.25rem; }
}
`;
