import type { OpenApiDocument, Operation, Response } from '#src/api/openapi/document.ts';
import { type Html, html } from '#src/lib/html.ts';
import { nameOf, type Schemas } from './fields.ts';
import { inline, markdown } from './markup.ts';
import { badge, type ErrorMeaning, exampleIn, operation, type ReadableOperation } from './operation.ts';
import { style } from './style.ts';
import { tryIt } from './try-it.ts';

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: ReadableOperation;
}

/** The document on one page to read: nothing from elsewhere. Its script only sends the requests that a reader tries. */
export function renderPage(document: OpenApiDocument): string {
  const listed = operationsOf(document);
  const { schemas } = document.components;
  const [{ url } = { url: '' }] = document.servers;
  const groups = document.tags.map(({ name }) => ({
    name,
    listed: listed.filter(({ operation }) => operation.tags.includes(name)),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${document.info.title}</title>
  <style>${style}</style>
</head>
<body>
<a class="skip" href="#top">Skip the contents</a>
<nav aria-label="Contents">
  <a class="title" href="#top">${document.info.title}</a>
  ${groups.map(
    ({ name, listed }) => html`<section><h2><a href="#tag-${name}">${titleOf(name)}</a></h2>
  ${listed.map(
    ({ method, path, operation }) =>
      html`<a href="#${operation.operationId}">${badge(method)} <span>${breakable(path.replace('/api/v1', ''))}</span></a>`,
  )}</section>`,
  )}
  <section><h2><a href="#events">events</a></h2>
  ${Object.keys(document.webhooks).map((type) => html`<a href="#event-${type}">${type}</a>`)}</section>
</nav>
<main>
  <header id="top" tabindex="-1">
    <h1>${document.info.title}</h1>
    <p class="facts">
      Version ${document.info.version} · <code>${url}</code> · <a href="/api/v1/openapi.json">openapi.json</a>
    </p>
    ${markdown(document.info.description)}
  </header>
  ${groups.map(
    ({ name, listed }) => html`<section class="group"><h2 id="tag-${name}">${titleOf(name)}</h2>
  ${listed.map((each) => operation(each.operation, { method: each.method, path: each.path, url }, schemas))}</section>`,
  )}
  <section class="group"><h2 id="events">events</h2>
  ${Object.entries(document.webhooks).map(([type, item]) => event(type, item, schemas))}</section>
</main>
<script>${tryIt}</script>
</body>
</html>
`.text;
}

/** `customer-portal` as a heading. */
const titleOf = (tag: string) => tag.replaceAll('-', ' ');

/** A path that is too long for its line breaks before a slash, not within a word. */
const breakable = (path: string) => path.split(/(?=\/)/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`);

/** Resolves what the document says once: what it defines among its components, and the errors of many operations. */
function operationsOf(document: OpenApiDocument): Listed[] {
  const { paths, components } = document;
  const parameterOf = (parameter: Operation['parameters'][number]) =>
    '$ref' in parameter ? (components.parameters[nameOf(parameter.$ref)] ?? []) : parameter;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method,
      path,
      operation: {
        ...operation,
        parameters: operation.parameters.flatMap(parameterOf),
        ...responsesOf(operation, document),
      },
    })),
  );
}

/** The operation's own responses, and its errors with their messages, by status. */
function responsesOf(
  { responses: all, security, 'x-errors': own = [] }: Operation,
  { components: { responses: shared, securitySchemes }, 'x-errors': common }: OpenApiDocument,
): Pick<ReadableOperation, 'responses' | 'errors'> {
  const accepted = new Set(security.flatMap((way) => Object.keys(way)));
  const codes = new Set([
    ...own,
    ...[...accepted].flatMap((name) => securitySchemes[name]?.['x-errors'] ?? []),
    ...common,
  ]);
  const responses: Record<string, Response> = {};
  const errors: Record<string, readonly ErrorMeaning[]> = {};
  for (const [status, response] of Object.entries(all)) {
    if (!('$ref' in response)) responses[status] = response;
    else {
      const { examples = {} } = shared[nameOf(response.$ref)]?.content?.['application/json'] ?? {};
      const meanings = [...codes].flatMap((code) =>
        examples[code] ? [{ code, message: examples[code].summary }] : [],
      );
      if (meanings.length > 0) errors[status] = meanings;
    }
  }
  return { responses, errors };
}

function event(type: string, { post }: OpenApiDocument['webhooks'][string], schemas: Schemas): Html {
  return html`<article id="event-${type}">
  <div class="words"><h3>${type}</h3><p>${inline(post.summary)}</p></div>
  <div class="example"><details><summary>What a receiver gets</summary><pre>${exampleIn(post.requestBody?.content, schemas)}</pre></details></div>
</article>`;
}
