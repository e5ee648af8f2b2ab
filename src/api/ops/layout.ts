import { type Html, html, type Piece } from '#src/lib/html.ts';

/** The pages of operators, as the head of each shows them. */
const pages = [
  ['/ops', 'Overview'],
  ['/ops/queues', 'Queues'],
  ['/ops/labels', 'Labels'],
  ['/ops/webhooks', 'Webhooks'],
  ['/ops/emails', 'Emails'],
  ['/ops/drift', 'Payments'],
  ['/ops/analytics', 'Analytics'],
  ['/ops/bulk', 'Bulk work'],
] as const;

export interface Page {
  readonly title: string;
  /** The URL of the page in the navigation that this one belongs to. */
  readonly at: (typeof pages)[number][0];
  /** Whether the page shows work in progress and therefore reloads by itself, unless the operator has stopped that. */
  readonly isMoving?: boolean;
  readonly body: Piece;
}

/** A page for operators: one head, one column, no script. */
export function renderPage({ title, at, isMoving, body }: Page): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${isMoving && html`<meta http-equiv="refresh" content="3">`}
<title>${title} · Storefront operations</title>
<style>${style}</style>
</head>
<body>
<header><nav aria-label="Operations">${pages.map(
    ([url, name]) => html`<a href="${url}"${url === at && current}>${name}</a>`,
  )}</nav></header>
<main>
<h1>${title}</h1>
${isMoving && html`<p class="soft">It reloads every 3 seconds. <a href="?still">Stop reloading</a></p>`}
${body}
</main>
</body>
</html>
`;
  return page.text;
}

/** What the last press did, or why it did nothing. It has the focus, so that it is read first. */
export function outcome({
  done,
  problem,
}: {
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}): Html {
  return html`${done && html`<section class="done" role="status" tabindex="-1" autofocus>${done}</section>`}${
    problem && html`<section class="note" role="alert" tabindex="-1" autofocus>${problem}</section>`
  }`;
}

interface ButtonOptions {
  readonly kind?: 'quiet' | 'main';
  /** What it acts on, for readers of the screen, where several have the same label. */
  readonly about?: string;
}

/** A form of one button. */
export function button(
  action: string,
  label: string,
  fields: Readonly<Record<string, string>> = {},
  { kind = 'quiet', about }: ButtonOptions = {},
): Html {
  return html`<form method="post" action="${action}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${kind}"${nameOf(label, about)}>${label}</button></form>`;
}

/** A button that must be revealed first: for actions that cannot be undone. Works without a script. */
export function confirmed(
  action: string,
  label: string,
  confirmation: string,
  fields: Readonly<Record<string, string>> = {},
  about?: string,
): Html {
  const confirm = button(action, confirmation, fields, { ...(about && { about }) });
  return html`<details><summary${nameOf(label, about)}>${label}</summary>${confirm}</details>`;
}

const nameOf = (label: string, about: string | undefined) => about && html` aria-label="${label} ${about}"`;

/** The time since a moment, to be used as in "for 5 min" or "5 min ago". */
export function ago(then: Date, now: Date): Html {
  const minutes = Math.max(0, Math.round((now.getTime() - then.getTime()) / 60_000));
  const words =
    minutes < 1
      ? 'under 1 min'
      : minutes < 60
        ? `${minutes} min`
        : minutes < 48 * 60
          ? `${Math.round(minutes / 60)} h`
          : `${Math.round(minutes / 1440)} d`;
  return html`<time datetime="${then.toISOString()}" title="${then.toISOString()}">${words}</time>`;
}

/** A moment to the minute, with its time zone. */
export const moment = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export const count = (value: number): string => value.toLocaleString('en-US');

const current = html` aria-current="page"`;

const style = html`
:root {
  color-scheme: light dark;
  --ink: #1c2127; --soft: #5d6772; --line: #e1e5ea; --paper: #fbfbfa; --card: #fff; --accent: #24557a; --warn: #8a3b12;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8ea; --soft: #98a2ad; --line: #333a42;
    --paper: #15181b; --card: #1c2024; --accent: #8fc1e3; --warn: #f0a57a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif;
}
header { border-bottom: 1px solid var(--line); background: var(--card); }
nav, main { max-width: 68rem; margin: 0 auto; padding: 0 1.5rem; }
nav { display: flex; gap: 1.5rem; overflow-x: auto; }
nav a { padding: .9rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; }
nav a[aria-current] { color: var(--ink); border-color: var(--accent); }
main { padding-top: 1rem; padding-bottom: 4rem; }
h1 { font-size: 1.5rem; font-weight: 600; margin: 1.2rem 0 .4rem; }
h2 { font-size: 1.05rem; font-weight: 600; margin: 0; }
p { margin: .3rem 0; }
.soft, th { color: var(--soft); font-weight: 400; }
.lead { color: var(--soft); max-width: 44rem; text-wrap: pretty; }
section {
  background: var(--card); border: 1px solid var(--line); border-radius: .6rem; margin: 1.2rem 0; padding: 1rem 1.2rem;
}
section > header {
  border: 0; background: none; display: flex; align-items: baseline; gap: 1rem; justify-content: space-between;
}
.note { border-left: 3px solid var(--warn); }
.done { border-left: 3px solid #3c7d4e; }
table { border-collapse: collapse; width: 100%; margin-top: .7rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .45rem .8rem .45rem 0; border-top: 1px solid var(--line); vertical-align: middle; }
thead th { border-top: 0; font-size: .85rem; }
td:last-child { text-align: right; padding-right: 0; white-space: nowrap; }
th:last-child { padding-right: 0; }
.numbers th:nth-child(n+2):not(.wide), .numbers td:nth-child(n+2):not(.wide), thead th:last-child {
  text-align: right;
}
.slug, .numbers td:first-child, td:has(> time) { white-space: nowrap; }
.aligned { table-layout: fixed; }
.aligned th:first-child { width: 8rem; }
.aligned th:nth-child(2) { width: 15rem; }
.aligned th:nth-last-child(2) { width: 6rem; }
.aligned th:last-child { width: 10rem; }
.aligned td { overflow-wrap: anywhere; }
td form { display: inline-block; }
.number { font-size: 1.15rem; }
.facts th { width: 10rem; font-weight: 400; }
.facts td:last-child { text-align: left; white-space: normal; }
.url { overflow-wrap: anywhere; }
.command { color: inherit; }
a { color: var(--accent); }
code { font: .88em ui-monospace, "SF Mono", Menlo, monospace; color: var(--warn); }
button {
  font: inherit; padding: .32rem .8rem; border-radius: .4rem; cursor: pointer;
  border: 1px solid var(--line); background: var(--card); color: var(--ink);
}
button:hover { border-color: var(--accent); }
summary { display: inline-block; cursor: pointer; color: var(--accent); list-style: none; }
summary::-webkit-details-marker { display: none; }
details[open] summary { color: var(--soft); margin-right: .6rem; }
details[open] form { display: inline-block; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--paper); }
.fields {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .7rem 1rem; margin: .8rem 0;
}
label { display: block; color: var(--soft); font-size: .85rem; }
input {
  display: block; width: 100%; margin-top: .15rem; font: inherit; color: var(--ink); background: var(--paper);
  border: 1px solid var(--line); border-radius: .35rem; padding: .35rem .5rem;
}
input[type=hidden] { display: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; align-items: end; gap: .6rem; margin-top: .8rem; }
.actions input { width: auto; }
@media (max-width: 44rem) {
  nav, main { padding: 0 1rem; }
  nav { flex-wrap: wrap; gap: 0 1.1rem; }
  nav a { padding: .5rem 0; }
  section { padding: .9rem 1rem; overflow-x: auto; }
  section > header { flex-wrap: wrap; }
  .wide { display: none; }
  th, td { padding-right: .6rem; }
  .list, .list tbody { display: block; }
  .list thead { display: none; }
  .list tr {
    display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .9rem; padding: .7rem 0;
    border-top: 1px solid var(--line);
  }
  .list [data-name]::before { content: attr(data-name) " "; color: var(--soft); font-size: 1rem; }
  .list td { padding: 0; border: 0; }
  .list .text { flex-basis: 100%; order: 1; }
  .list td:last-child { margin-left: auto; }
  .facts th { width: auto; }
  .numbers { font-size: .82rem; }
  .numbers th, .numbers td { padding-right: .4rem; }
  .numbers th:last-child, .numbers td:last-child { padding-right: 0; }
}
`;
