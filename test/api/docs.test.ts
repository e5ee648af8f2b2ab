import SwaggerParser from '@apidevtools/swagger-parser';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import anyTest, { type TestFn } from 'ava';
import type { Audience } from '#src/api/lib/define-route.ts';
import { documentedErrors } from '#src/api/lib/documented-errors.ts';
import type { OpenApiDocument, Operation } from '#src/api/openapi/document.ts';
import { routes } from '#src/api/routes.ts';
import { newKey } from '#src/domain/tenants/api-key.ts';
import { textKeywords } from '#src/lib/convert-text.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { textOfHtml } from '#src/lib/html.ts';
import { issuesOf, issuesOfText } from '#src/lib/validation.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { complaintsOf, inBrowser, launchBrowser } from '#test/support/browser.ts';
import { callCli } from '#test/support/cli.ts';
import { type StoreContext, useStore } from '#test/support/every-route.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import type { ApiContext } from '#test/support/use-api.ts';

/** One after the other: what a test computes at length would let the connections of the others run out of time. */
const test = anyTest as TestFn<StoreContext>;
useStore(test, { ports: { payments: fakePaymentGateway(), shipping: fakeShippingGateway() } });

const shown = routes.filter(({ audience }) => audience.kind !== 'inbound');

const nameOf = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;

const componentOf = ({ $ref }: { $ref: string }) => $ref.split('/').at(-1) ?? '';

let known: OpenApiDocument | undefined;

/** As the application of the first test that needs it serves it: each test has its own, and each builds the same. */
async function readDocument({ api }: ApiContext): Promise<OpenApiDocument> {
  if (known) return known;
  const { status, body } = await api.call('GET', '/api/v1/openapi.json');
  if (status !== 200) throw new Error(`The document answers ${status}.`);
  return (known = body);
}

const operationsOf = ({ paths }: OpenApiDocument): [name: string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [nameOf({ method, path }), operation]),
  );

test.serial('the API document is valid OpenAPI 3.1 according to a public validator', async (t) => {
  const document = await readDocument(t.context);
  t.is(document.openapi, '3.1.0');
  await t.notThrowsAsync(SwaggerParser.validate(structuredClone(document) as never));
});

test.serial('the API document is at most 440 kB', async (t) => {
  t.true(JSON.stringify(await readDocument(t.context)).length <= 440_000);
});

test.serial('the API document refers to each of its shared schemas, responses, parameters and headers', async (t) => {
  const { components, ...document } = await readDocument(t.context);
  const { securitySchemes: _, ...shared } = components;
  const text = JSON.stringify({ document, shared });
  for (const [kind, named] of Object.entries(shared))
    for (const name of Object.keys(named)) t.true(text.includes(`"#/components/${kind}/${name}"`), `${kind} ${name}`);
});

test.serial('the API document has every route except the webhooks of providers', async (t) => {
  const operations = new Map(operationsOf(await readDocument(t.context)));
  t.deepEqual([...operations.keys()].toSorted(), shown.map((route) => nameOf(route)).toSorted());
  const ids = [...operations.values()].map(({ operationId }) => operationId);
  t.is(new Set(ids).size, ids.length);
});

test.serial('the API document lists the responses and errors of every route', async (t) => {
  const document = await readDocument(t.context);
  const { components } = document;
  const operations = new Map(operationsOf(document));
  for (const route of shown) {
    const operation = operations.get(nameOf(route));
    for (const status of Object.keys(route.responses))
      t.truthy(operation?.responses[status], `${nameOf(route)} ${status}`);
    const schemes = new Set(operation?.security.flatMap((way) => Object.keys(way)));
    const codes = [document, operation, ...[...schemes].map((name) => components.securitySchemes[name])]
      .flatMap((part) => part?.['x-errors'] ?? [])
      .filter((code, index, all) => all.indexOf(code) === index);
    t.deepEqual(codes.toSorted(), documentedErrors(route).toSorted(), nameOf(route));
    // Each code is explained in the response of its status.
    const explained = Object.values(operation?.responses ?? {}).flatMap((response) =>
      '$ref' in response
        ? Object.keys(components.responses[componentOf(response)]?.content?.['application/json']?.examples ?? {})
        : [],
    );
    t.deepEqual(
      codes.filter((code) => !explained.includes(code)),
      [],
      nameOf(route),
    );
  }
});

test.serial('the API document has no internal keyword, and every reference resolves', async (t) => {
  const document = await readDocument(t.context);
  const text = JSON.stringify(document);
  const others = ['trimmed', 'asciiDomain', 'emptyIsNull', 'maxBytes', 'documentedAs', '~kind', '~optional'];
  for (const keyword of [...textKeywords, ...others]) t.false(text.includes(`"${keyword}":`), keyword);
  for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    t.true(Object.hasOwn(document.components[kind as keyof OpenApiDocument['components']], name), `${kind}/${name}`);
  }
});

test.serial('every example of the API document is valid by its schema', (t) => {
  for (const route of shown) {
    const name = nameOf(route);
    for (const schema of [route.body, ...Object.values(route.responses)]) {
      if (schema) t.deepEqual(issuesOf(schema, structuredClone(exampleOf(schema))), [], name);
    }
    for (const schema of [route.params, route.query]) {
      const texts = Object.entries(schema ? (exampleOf(schema) as object) : {}).map(([field, value]) => [
        field,
        String(value),
      ]);
      if (schema) t.deepEqual(issuesOfText(schema, Object.fromEntries(texts)), [], name);
    }
  }
});

test.serial('every example of the API document is valid by the standards of its formats', async (t) => {
  const document = await readDocument(t.context);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, 'document');
  const wrong: string[] = [];
  const check = (place: string, example: unknown): void => {
    if (!ajv.validate({ $ref: `document#${place}` }, example))
      wrong.push(`${place}: ${JSON.stringify(example)} ${ajv.errorsText()}`);
  };
  const walk = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { schema, example, examples, ...rest } = value as Record<string, unknown>;
    if (schema && example !== undefined) check(`${place}/schema`, example);
    if (Array.isArray(examples)) for (const one of examples) check(place, one);
    for (const [name, inside] of Object.entries({ ...rest, schema })) walk(inside, `${place}/${pointer(name)}`);
  };
  walk({ paths: document.paths, webhooks: document.webhooks, components: document.components }, '');
  t.deepEqual(wrong, []);
});

test.serial('the API document says where browsers get a page', async (t) => {
  const { paths } = await readDocument(t.context);
  for (const operation of Object.values(paths['/api/v1/cart/unsubscribe'] ?? {}))
    t.like(operation.responses[200], { content: { 'text/html': { schema: { type: 'string' } } } });
});

test.serial('no field with a default is required', async (t) => {
  const both: string[] = [];
  const walk = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { required, properties = {} } = value as { required?: unknown; properties?: Record<string, object> };
    for (const name of Array.isArray(required) ? required : [])
      if ('default' in (properties[name] ?? {})) both.push(`${place}/${name}`);
    for (const [name, inside] of Object.entries(value)) walk(inside, `${place}/${name}`);
  };
  const { paths, components } = await readDocument(t.context);
  walk({ paths, components }, '');
  t.deepEqual(both, []);
});

test.serial('the API document names every request header of a route', async (t) => {
  const operations = new Map(operationsOf(await readDocument(t.context)));
  const refs = (operation: Operation | undefined) =>
    (operation?.parameters ?? []).flatMap((parameter) =>
      '$ref' in parameter ? [parameter.$ref.split('/').at(-1)] : [],
    );
  for (const route of shown) {
    const found = refs(operations.get(nameOf(route)));
    t.is(found.includes('idempotencyKey'), route.idempotent !== undefined, nameOf(route));
    t.is(found.includes('ifNoneMatch'), route.caching === 'revalidate', nameOf(route));
    const { audience } = route;
    t.is(found.includes('tenant'), audience.kind === 'public' && !audience.slugInQuery, nameOf(route));
    t.is(found.includes('tenantInQuery'), audience.kind === 'public' && audience.slugInQuery === true, nameOf(route));
  }
});

test.serial('the API document and its page are revalidated with an ETag', async (t) => {
  for (const path of ['/api/v1/openapi.json', '/docs']) {
    const first = await t.context.api.call('GET', path);
    t.is(first.status, 200);
    t.is(first.headers.get('cache-control'), 'public, max-age=0, must-revalidate');
    const again = await t.context.api.call('GET', path, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    t.is(again.status, 304);
    t.is((await t.context.api.call('HEAD', path)).status, 200);
    t.is((await t.context.api.call('POST', path)).status, 405);
  }
});

/** As the page says it. A customer's refresh token, and a token of a cart, is in the body: no credential. */
function callersOf(audience: Audience): string {
  const scopes = 'scope' in audience ? [audience.scope, ...(('others' in audience && audience.others) || [])] : [];
  const isPublic = audience.kind === 'dual' || audience.kind === 'public' || 'tenantIdOf' in audience;
  return [
    ...(isPublic ? ['public'] : []),
    ...(scopes.length > 0 ? [`a key with ${scopes.join(' or ')}`] : []),
    ...(audience.kind === 'session' ? ["a customer's session"] : []),
    ...(audience.kind === 'staff' || 'staff' in audience ? ["a staff member's session"] : []),
  ].join(' or ');
}

test.serial('the API page says who may call each operation, and renders the code in its texts', async (t) => {
  const page = await (await fetch(`${t.context.api.url}/docs`)).text();
  const articles = new Map(
    page.split('<article id="').flatMap((part) => {
      const [, method, path] = /^[^"]*" data-method="(\w+)" data-path="([^"]*)"/.exec(part) ?? [];
      return method && path ? [[nameOf({ method, path }), part] as const] : [];
    }),
  );
  for (const route of shown) {
    const article = articles.get(nameOf(route)) ?? '';
    const caller = textOfHtml(/<p class="caller">.*?<\/p>/s.exec(article)?.[0] ?? '');
    t.is(caller, `${callersOf(route.audience)}.`, nameOf(route));
    t.notRegex(article.split('<div class="example">')[0] ?? '', /`/, nameOf(route));
  }
});

test.serial('the command openapi prints the document that the API serves', async (t) => {
  const { code, out } = await callCli(['openapi', '--url', t.context.services.config.settings.publicUrl], {});
  t.is(code, 0);
  t.deepEqual(JSON.parse(out), await readDocument(t.context));
});

const browserTest = inBrowser(test);

browserTest('the API page sends a request that a reader tries, with a test key and not with a live one', async (t) => {
  const { api, services, tenant } = t.context;
  const product = await buildProduct({ ...services.context(), tenant });
  const key = await buildKey({ ...services.context(), tenant }, ['products:read', 'cart:write'], 'publishable');
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${api.url}/docs`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    t.is(await page.evaluate('document.activeElement.textContent'), 'openapi.json', 'the contents can be skipped');
    const article = page.locator('#getProduct');
    await article.getByRole('button', { name: 'Try it' }).click();
    await article.getByLabel('Test key').fill(key);
    await article.getByLabel('slug').fill(product.slug);
    await article.getByRole('button', { name: 'Send' }).click();
    await article.getByText(/^200 req_/).waitFor();
    t.is(await page.evaluate('document.activeElement.textContent'), 'Send', 'the focus stays');
    t.true((await article.locator('form pre').innerText()).includes(`"slug": "${product.slug}"`));

    // Another operation knows the key already; what the reader wrote is sent as it is.
    const cart = page.locator('#createCart');
    await cart.getByRole('button', { name: `Try it: ${await cart.getByRole('heading').first().innerText()}` }).click();
    t.is(await cart.getByLabel('Test key').inputValue(), key);
    await cart.getByLabel('Body').fill('{');
    await cart.getByRole('button', { name: 'Send' }).click();
    await cart.getByText(/^400 req_[\s\S]*"invalid_json"/).waitFor();

    await cart.getByLabel('Test key').fill(newKey('secret', 'live'));
    await cart.getByRole('button', { name: 'Send' }).click();
    await cart.getByText('This page sends test keys only. Nothing was sent.').waitFor();
    t.is(await page.evaluate<string>(`sessionStorage.getItem('key')`), key, 'a live key is not remembered');

    // The document could not be loaded at first.
    const again = await browser.newPage();
    await again.route('**/openapi.json', (route) => route.abort(), { times: 1 });
    await again.goto(`${api.url}/docs`);
    const list = again.locator('#listProducts');
    await list.getByRole('button', { name: 'Try it' }).click();
    await list.getByRole('button', { name: 'Try it again' }).click();
    await list.getByRole('button', { name: 'Send' }).waitFor();
    t.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
});

browserTest('the API page is complete in a browser without any other network access', async (t) => {
  const { api } = t.context;
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !message.text().includes('favicon'))
        complaints.push(message.text());
    });
    await page.route(
      (url) => url.origin !== api.url,
      async (route) => {
        complaints.push(`asks for ${route.request().url()}`);
        await route.abort();
      },
    );
    const response = await page.goto(`${api.url}/docs`);
    t.regex(
      response?.headers()['content-security-policy'] ?? '',
      /^default-src 'none'; style-src 'sha256-[^;]+'; script-src 'sha256-[^;]+'; connect-src 'self';/,
    );
    t.is(
      await page.locator('article[id]').count(),
      shown.length + Object.keys((await readDocument(t.context)).webhooks).length,
    );
    t.is(await page.evaluate<string>(`getComputedStyle(document.querySelector('nav')).position`), 'sticky');
    t.true((await page.getByText('uri or null', { exact: true }).count()) > 0, 'a field that may be null says so');
    const dead = `[...document.querySelectorAll('a[href^="#"]')]
      .map(({ hash }) => hash.slice(1)).filter((id) => !document.getElementById(id))`;
    t.deepEqual(await page.evaluate<string[]>(dead), []);
    for (const width of [1440, 420]) {
      await page.setViewportSize({ width, height: 900 });
      t.true(
        await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth'),
        `sideways at ${width}`,
      );
    }
    t.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
});

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
}

interface Described {
  security: Record<string, string[]>[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
}

/*
 * The API document as its readers use it: each operation is sent the examples of the document, and a public validator
 * compares the response with the schema of the document.
 */
test.serial('every example of the API document can be sent, and its response matches the document', async (t) => {
  const { api, key, session, tenant } = t.context;
  const { body: document } = await api.call('GET', '/api/v1/openapi.json');
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, 'document');
  const statuses = new Map<number, number>();

  for (const [path, methods] of Object.entries<Record<string, Described>>(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method} ${path}`;
      const schemes = operation.security.flatMap((scheme) => Object.keys(scheme));
      const isOpen =
        operation.security.length === 0 || operation.security.some((scheme) => Object.keys(scheme).length === 0);
      const [content] = Object.entries(operation.requestBody?.content ?? {});
      const reply = await api.call(method.toUpperCase(), addressOf(path, operation, document.components.parameters), {
        ...(isOpen ? { tenant: tenant.slug } : { key: schemes.includes('session') ? session : key }),
        ...(content && { body: content[1].example, headers: { 'content-type': content[0] } }),
      });
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      t.deepEqual(
        complaintsAbout(
          reply,
          ajv,
          operation,
          document.components.responses,
          `document#/paths/${pointer(path)}/${method}`,
        ),
        [],
        name,
      );
    }
  }
  t.log(Object.fromEntries([...statuses].toSorted()));
  // The examples are useful: none is rejected for its format, and many succeed.
  t.false(statuses.has(415) || statuses.has(500));
  t.true((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0) > 30);
});

/** With the examples of the path's parameters, and those of required query parameters. */
function addressOf(path: string, { parameters }: Described, shared: Record<string, Parameter>): string {
  const own = parameters.flatMap((given) =>
    '$ref' in given ? (shared[given.$ref.split('/').at(-1) ?? ''] ?? []) : given,
  );
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(own.find((one) => one.name === name)?.example)),
  );
  const queryParameters = own
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name, example }): [string, string] => [name, String(example)]);
  return queryParameters.length > 0 ? `${named}?${new URLSearchParams(queryParameters)}` : named;
}

function complaintsAbout(
  { status, headers, body }: ApiResponse,
  ajv: Ajv2020,
  { responses }: Described,
  shared: Described['responses'],
  at: string,
): unknown[] {
  const given = responses[status];
  if (!given) return [`${status} is not in the document: ${JSON.stringify(body)}`];
  const [, name = ''] = /^#\/components\/responses\/(\w+)$/.exec(given.$ref ?? '') ?? [];
  const response = name ? (shared[name] ?? {}) : given;
  const type = headers.get('content-type')?.split(';')[0];
  if (!response.content) return body === '' ? [] : [`${status} should have no body`];
  if (!type || !response.content[type]) return [`${status} is ${type}`];
  const validate: ValidateFunction = ajv.compile({
    $ref: `${name ? `document#/components/responses/${name}` : `${at}/responses/${status}`}/content/${pointer(type)}/schema`,
  });
  return validate(body) ? [] : (validate.errors ?? []);
}

const pointer = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
