import type { ByMediaType, Operation, Parameter, Response } from '#src/api/openapi/document.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { type Html, html, type Piece } from '#src/lib/html.ts';
import { field, fieldsOf, inPlace, type Schemas } from './fields.ts';
import { inline, json } from './markup.ts';

/** An operation with its parameters and its own responses in place, and what its errors mean by their status. */
export type ReadableOperation = Omit<Operation, 'parameters' | 'responses'> & {
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
  readonly errors: Readonly<Record<string, readonly ErrorMeaning[]>>;
};

export interface ErrorMeaning {
  readonly code: string;
  readonly message: string;
}

/** Where an operation is called, and by which method. */
export interface Place {
  readonly method: string;
  readonly url: string;
  readonly path: string;
}

/** What there is to know of one operation: in words on the left, by example on the right. */
export function operation(operation: ReadableOperation, place: Place, schemas: Schemas): Html {
  const responses = Object.entries(operation.responses);
  return html`
<article id="${operation.operationId}" data-method="${place.method}" data-path="${place.path}">
  <div class="words">
    <h3>${inline(operation.summary.replace(/\.$/, ''))}</h3>
    <p class="place">${badge(place.method)} <code>${place.path}</code></p>
    <p class="caller">${callerOf(operation)}</p>
    ${operation.description && html`<p>${inline(operation.description)}</p>`}
    ${(['path', 'query', 'header'] as const).map((part) => parametersIn(part, operation, schemas))}
    ${bodyOf(operation, schemas)}
    ${responses.map(([status, { content }]) => responseOf(status, content, schemas))}
    ${errorsOf(operation)}
  </div>
  <div class="example">
    <pre>${curlOf(operation, place, schemas)}</pre>
    ${responses
      .slice(0, 1)
      .map(([status, { content }]) => html`<p class="status">${status}</p><pre>${exampleIn(content, schemas)}</pre>`)}
  </div>
</article>`;
}

export const badge = (method: string) => html`<span class="method ${method}">${method}</span>`;

/** Who can call an operation: each of the ways that its security allows. */
function callerOf({ security }: ReadableOperation): Html {
  const scopes = new Set(security.flatMap(({ key }) => key ?? []));
  const isPublic = security.length === 0 || security.some((way) => Object.keys(way).length === 0);
  const ways = [
    isPublic && 'public',
    scopes.size > 0 && html`a key with ${separate([...scopes].map((scope) => html`<code>${scope}</code>`))}`,
    security.some(({ session }) => session) && "a customer's session",
    security.some(({ staffSession }) => staffSession) && "a staff member's session",
  ];
  return html`${separate(ways.filter((way) => way !== false))}.`;
}

const separate = (choices: readonly Piece[]): Piece[] =>
  choices.flatMap((choice, index) => (index > 0 ? [' or ', choice] : [choice]));

const partNames = { path: 'In the path', query: 'In the query', header: 'Headers' };

function parametersIn(part: Parameter['in'], { parameters }: ReadableOperation, schemas: Schemas): Html | false {
  const named = parameters.filter((parameter) => parameter.in === part);
  return (
    named.length > 0 &&
    html`<h4>${partNames[part]}</h4>
    ${named.map(({ name, schema, description, required }) =>
      field(name, { ...schema, ...(description && { description }) }, required && part !== 'path', schemas, 'in'),
    )}`
  );
}

function bodyOf({ requestBody }: ReadableOperation, schemas: Schemas): Html | false {
  const [content] = Object.values(requestBody?.content ?? {});
  return content !== undefined && html`<h4>Body</h4>${fieldsOf(content.schema, schemas, 'in')}`;
}

function responseOf(status: string, content: ByMediaType = {}, schemas: Schemas): Html | false {
  const [body] = Object.values(content);
  const fields = body ? fieldsOf(body.schema, schemas, 'out') : [];
  return fields.length > 0 && html`<h4>Response ${status}</h4>${fields}`;
}

function errorsOf({ errors }: ReadableOperation): Html {
  return html`<details class="errors"><summary>Errors</summary>
    ${Object.entries(errors).map(
      ([status, meanings]) => html`<div class="field"><div><code class="field-name">${status}</code></div>
      ${meanings.map(({ code, message }) => html`<p><code>${code}</code>: ${inline(message)}</p>`)}</div>`,
    )}</details>`;
}

/** A call that could be pasted into a terminal. */
function curlOf(
  { parameters, security, requestBody }: ReadableOperation,
  { method, url, path }: Place,
  schemas: Schemas,
): Html {
  const exampleNamed = (name: string) => parameters.find((parameter) => parameter.name === name)?.example;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(exampleNamed(name) ?? name));
  const needsKey = security.length > 0 && security.every((way) => Object.keys(way).length > 0);
  const header = (line: string) => html` \\
  -H '<span class="text">${line}</span>'`;
  return html`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${url}${filled}${needsKey && header('authorization: Bearer sk_test_…')}${parameters
    .filter(({ name }) => name === 'x-tenant-slug')
    .map(({ name, example }) => header(`${name}: ${example}`))}${
    requestBody &&
    html`${header('content-type: application/json')} \\
  -d '${exampleIn(requestBody.content, schemas)}'`
  }`;
}

/** What the schema of a body says by example. */
export function exampleIn(content: ByMediaType = {}, schemas: Schemas): Html {
  const [body] = Object.values(content);
  return body ? json(exampleOf(inPlace(body.schema, schemas))) : html`<span class="value">No body.</span>`;
}
