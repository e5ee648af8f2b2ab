import { Html, html } from './html.ts';

const style = new Html(`
  :root {
    color-scheme: light dark;
    --ink: light-dark(#16181d, #e8eaee); --soft: light-dark(#5c6370, #9aa2b1);
    --paper: light-dark(#ffffff, #1b1e24); --ground: light-dark(#f4f5f7, #121418);
    --line: light-dark(#dfe2e7, #333842); --accent: light-dark(#2c4bd8, #8ea2ff);
    --on-accent: light-dark(#ffffff, #10131c); --bad: light-dark(#a4261d, #ff9d94);
    --bad-ground: light-dark(#fdf0ef, #34191a);
  }
  * { box-sizing: border-box; }
  body {
    margin: 0; background: var(--ground); color: var(--ink);
    font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  }
  .notice { margin: 0; padding: .5rem 1rem; text-align: center; font-size: .8125rem; color: var(--soft); border-bottom: 1px solid var(--line); }
  main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
  .columns { display: grid; gap: 2rem 3rem; align-items: start; }
  @media (min-width: 52rem) { .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 1.1fr); } }
  .narrow { max-width: 36rem; margin: 0 auto; }
  .narrow .card { margin-bottom: 1rem; }
  .card { background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; padding: 1.5rem; }
  h1 { font-size: 1rem; font-weight: 500; color: var(--soft); margin: 1rem 0 .25rem; }
  h2 { font-size: 1.0625rem; font-weight: 600; margin: 0 0 1rem; }
  .amount { font-size: 2.25rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.2; margin: 0 0 1.5rem; font-variant-numeric: tabular-nums; }
  a { color: var(--accent); text-underline-offset: .15em; }
  .back { display: inline-block; font-size: .9375rem; text-decoration: none; }
  .back:hover { text-decoration: underline; }
  dl, ul { margin: 0; padding: 0; list-style: none; }
  .lines li, .sums div { display: flex; justify-content: space-between; gap: 1rem; padding: .5rem 0; }
  .lines small { display: block; color: var(--soft); font-size: .875rem; }
  .money, .sums dd { font-variant-numeric: tabular-nums; white-space: nowrap; margin: 0; }
  .sums { border-top: 1px solid var(--line); margin-top: .75rem; padding-top: .5rem; color: var(--soft); font-size: .9375rem; }
  .sums .total { color: var(--ink); font-weight: 600; font-size: 1rem; border-top: 1px solid var(--line); margin-top: .5rem; padding-top: .875rem; }
  fieldset { border: 0; margin: 0 0 1.5rem; padding: 0; min-width: 0; }
  legend { font-weight: 600; padding: 0; margin-bottom: .75rem; }
  label { display: block; font-size: .875rem; color: var(--soft); margin-bottom: .75rem; }
  input:not([type=radio]), select {
    display: block; width: 100%; height: 2.75rem; margin-top: .25rem; padding: 0 .75rem; font: inherit; font-size: 1rem; color: var(--ink);
    background: var(--paper); border: 1px solid var(--line); border-radius: .5rem;
  }
  input[readonly] { background: var(--ground); color: var(--soft); }
  .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 .75rem; }
  .choice { display: flex; align-items: center; gap: .75rem; padding: .75rem; margin: 0 0 .5rem; border: 1px solid var(--line); border-radius: .5rem; color: var(--ink); font-size: .9375rem; }
  .choice .money { margin-left: auto; }
  .choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
  input[type=radio] { accent-color: var(--accent); margin: 0; }
  button {
    display: block; width: 100%; padding: .75rem 1rem; margin-top: .625rem; font: inherit; font-weight: 550; cursor: pointer;
    color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .5rem;
  }
  button.primary { color: var(--on-accent); background: var(--accent); border-color: var(--accent); font-weight: 600; }
  button:hover { filter: brightness(.97); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  .error { background: var(--bad-ground); color: var(--bad); border: 1px solid currentColor; border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1.25rem; }
  .hint { font-size: .8125rem; color: var(--soft); margin: 1rem 0 0; }
`);

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
<p class="notice">Simulated Stripe: no real card is asked for and no money moves.</p>
<main>${content}</main>
</body>
</html>`.text;
}

/** A page that only says something. */
export function messagePage(title: string, text: string, link?: { href: string; label: string }): string {
  const way = link && html`<p><a href="${link.href}">${link.label}</a></p>`;
  return layout(title, html`<div class="narrow"><div class="card"><h2>${title}</h2><p>${text}</p>${way}</div></div>`);
}
