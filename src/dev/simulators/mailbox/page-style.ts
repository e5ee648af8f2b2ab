/** Quiet: paper, ink and one colour, by day and by night. */
export const style = `
:root {
  --paper: #f6f4ef; --sheet: #fffefb; --ink: #24221e; --faint: #7d786d; --line: #e6e1d6; --accent: #2f5d50;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #171613; --sheet: #1f1d1a; --ink: #e9e5dc; --faint: #968f82; --line: #322f29; --accent: #8fc2b1;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
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
.inbox, article { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; }
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
