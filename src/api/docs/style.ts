import { Html } from '#src/lib/html.ts';

/** The style of the page: the contents, a column of text and one of examples. It follows the reader's theme. */
export const style = new Html(`
:root {
  color-scheme: light dark;
  font: 15px/1.55 system-ui, sans-serif;
  --ink: light-dark(#1c2430, #e4e8ee);
  --soft: light-dark(#5b6675, #9aa5b4);
  --line: light-dark(#e3e7ec, #2a323d);
  --paper: light-dark(#fff, #11161d);
  --side: light-dark(#f7f8fa, #151b23);
  --blue: light-dark(#2456c9, #8ab0ff);
  --green: light-dark(#1a7f4b, #6fd39c);
  --amber: light-dark(#9a5b00, #f0b460);
  --red: light-dark(#b3261e, #ff9a90);
}
* { box-sizing: border-box }
html { scroll-padding-top: 1.5rem }
body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); margin: 0; background: var(--paper);
  color: var(--ink) }
a { color: var(--blue); text-decoration: none }
a:hover { text-decoration: underline }
.skip { position: fixed; top: .5rem; left: .5rem; z-index: 1; padding: .5rem 1rem; background: var(--paper) }
.skip:not(:focus) { clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap }
code, pre { font: .86em/1.55 ui-monospace, 'Cascadia Mono', Menlo, monospace }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em }
h3 { margin: 0 0 .4rem; font-size: 1.08rem }
h4 { margin: 1.5rem 0 .2rem; color: var(--soft); font-size: .8rem; letter-spacing: .05em; text-transform: uppercase }
details { margin-top: .35rem }
summary { color: var(--blue); cursor: pointer; font-size: .88em }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem;
  border-right: 1px solid var(--line) }
nav { background: var(--side) }
nav .title { display: block; padding: 0 .5rem 1rem; color: var(--ink); font-weight: 650 }
nav h2 { margin: 1.1rem 0 .25rem; padding: 0 .5rem; font-size: .74rem; letter-spacing: .06em;
  text-transform: uppercase }
nav h2 a { color: var(--soft) }
nav section > a { display: flex; align-items: baseline; padding: .16rem .5rem; border-radius: .3rem; color: var(--ink) }
nav section > a { font-size: .84rem; overflow-wrap: anywhere }
nav section > a:hover { background: var(--line); text-decoration: none }
nav .method { flex: 0 0 3.1rem; padding: 0; background: none }

main { padding: 2.5rem clamp(1.5rem, 4vw, 4rem) 30vh }
header { max-width: 46rem }
header h3 { margin: 2rem 0 .3rem }
.facts, .caller, .type { color: var(--soft) }
.group > h2 { margin: 4rem 0 0; font-size: 1.5rem; text-transform: capitalize }
article { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 0 3rem; padding: 2.2rem 0 }
article + article { border-top: 1px solid var(--line) }
.place { margin: 0 }
.place code { font-size: .92em; overflow-wrap: anywhere }
.caller { margin: .3rem 0 .6rem }
.caller::first-letter { text-transform: uppercase }
.method { display: inline-block; padding: .05rem .4rem; border-radius: .25rem; background: var(--line) }
.method { font: 650 .68rem/1.7 ui-monospace, monospace; text-transform: uppercase }
.get { color: var(--green) }
.post { color: var(--blue) }
.put, .patch { color: var(--amber) }
.delete, .required { color: var(--red) }

.field { padding: .5rem 0; border-top: 1px solid var(--line) }
h4 + .field { border-top: 0 }
.field p { margin: .15rem 0 0; color: var(--soft); font-size: .93em }
.field-name { font-weight: 600 }
.type { font-size: .88em }
.required { font-size: .78em }
.field .field { padding-left: .8rem; border-left: 2px solid var(--line) }
.errors { margin-top: 1.4rem }

.example { position: sticky; top: 1rem; align-self: start }
.example pre { max-height: 70vh; margin: 0 0 .8rem; overflow: auto; padding: .9rem 1.1rem; border-radius: .5rem }
.example pre { background: #18202b; color: #d7dee8; white-space: pre-wrap; overflow-wrap: anywhere }
.example .status { margin: 0 0 .25rem; color: var(--soft); font: 650 .75rem ui-monospace, monospace }
.name { color: #9cc4ff }
.text { color: #b5e8b0 }
.value { color: #f5c27a }

.example > button, .try button { padding: .3rem .8rem; border: 1px solid var(--line); border-radius: .35rem }
.example > button, .try button { background: var(--side); color: var(--blue); font: inherit; cursor: pointer }
.try { display: grid; gap: .25rem }
.try label { margin-top: .35rem; color: var(--soft); font-size: .85em }
.try input, .try textarea { padding: .35rem .5rem; border: 1px solid var(--line); border-radius: .35rem }
.try input, .try textarea { background: var(--paper); color: var(--ink); font: .86em/1.5 ui-monospace, monospace }
.try .output:empty { padding: 0; margin: 0 }
.try button { justify-self: start; margin: .5rem 0 }

@media (max-width: 70rem) {
  article { grid-template-columns: minmax(0, 1fr) }
  .example { position: static; margin-top: 1.2rem }
}
@media (max-width: 48rem) {
  body { display: block }
  nav { position: static; height: auto; max-height: 40vh }
}
@media print {
  nav { display: none }
  body { display: block }
}
`);
