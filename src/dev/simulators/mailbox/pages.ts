import { escapeHtml } from '#src/lib/html.ts';
import { style } from './page-style.ts';
import type { MailboxMessage } from './store.ts';

// The page asks whether anything has come, and only then shows itself anew.
const refresh = `<script>
  let kept;
  setInterval(async () => {
    const counts = await fetch('/_control/counts').then((answer) => answer.json()).catch(() => undefined);
    if (kept !== undefined && counts && counts.kept !== kept) location.reload();
    kept = counts?.kept ?? kept;
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

/** All messages, as they are given. */
export function inboxPage(messages: MailboxMessage[]): string {
  const rows = messages.map(
    (message) => `<li><a href="/messages/${message.id}">
      ${twoLines('who', nameOf(message.from), `to ${message.to.join(', ')}`)}
      ${twoLines('what', message.subject || '(no subject)', preview(message))}
      ${time(message)}
    </a></li>`,
  );
  const empty = '<p class="empty">Nothing has come yet.<br>Mail sent to this machine will appear here by itself.</p>';
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return page(
    'Mailbox',
    `<header><h1>Mailbox</h1><p>${count}</p></header>
    ${rows.length > 0 ? `<ol class="inbox">${rows.join('')}</ol>` : empty}${refresh}`,
  );
}

/** One message: who, what, its two forms and all its headers. */
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

/** The HTML of a mail as a document whose links open in a tab of their own. */
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
  return `<time datetime="${at}" title="${at}">${at.slice(11, 16)}<small>${at.slice(0, 10)}</small></time>`;
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
