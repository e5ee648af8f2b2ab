import { readFileSync } from 'node:fs';

import { Html, html } from '#src/lib/html.ts';

const style = new Html(readFileSync(new URL('./style.css', import.meta.url), 'utf8'));

/** A whole page; `rules` are styles that only this page needs. */
export function layout(title: string, content: Html, rules = new Html('')): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}${rules}</style>
</head>
<body>
<p class="notice">Simulated Stripe: no real card is needed and no money moves.</p>
<main>${content}</main>
</body>
</html>`.text;
}

/** A page with only a message. */
export function messagePage(title: string, text: string, link?: { href: string; label: string }): string {
  const linkHtml = link && html`<p><a href="${link.href}">${link.label}</a></p>`;
  return layout(
    title,
    html`<div class="narrow"><div class="card"><h2>${title}</h2><p>${text}</p>${linkHtml}</div></div>`,
  );
}
