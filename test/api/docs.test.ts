import SwaggerParser from '@apidevtools/swagger-parser';
import anyTest, { type TestFn } from 'ava';

import { documentedErrors } from '#src/api/lib/documented-errors.ts';
import type { OpenApiDocument, Operation } from '#src/api/openapi/document.ts';
import { routes } from '#src/api/routes.ts';
import { newKey } from '#src/domain/tenants/api-key.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { issuesOf, issuesOfText } from '#src/lib/validation.ts';
import { complaintsOf, hasBrowser, launchBrowser } from '#test/support/browser.ts';
import { callCli } from '#test/support/cli.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

/** One after the other: what a test computes at length would let the connections of the others run out of time. */
const test = anyTest as TestFn<ApiContext>;
useApi(test);

const shown = routes.filter(({ audience }) => audience.kind !== 'inbound');
const nameOf = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;

const componentOf = ({ $ref }: { $ref: string }) => $ref.split('/').at(-1) ?? '';

async function readDocument({ api }: ApiContext): Promise<OpenApiDocument> {
  const { status, body } = await api.call('GET', '/api/v1/openapi.json');
  if (status !== 200) throw new Error(`The document answers ${status}.`);
  return body;
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

test.serial('the API document is at most 400 kB', async (t) => {
  t.true(JSON.stringify(await readDocument(t.context)).length <= 400_000);
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
  t.false(/integerLike|~kind|~optional/.test(text));
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

test.serial('the command openapi prints the document that the API serves', async (t) => {
  const { code, out } = await callCli(['openapi', '--url', t.context.services.config.settings.publicUrl], {});
  t.is(code, 0);
  t.deepEqual(JSON.parse(out), await readDocument(t.context));
});

const browserTest = hasBrowser ? test : test.skip;

browserTest('the API page sends a request that a reader tries, with a test key and not with a live one', async (t) => {
  const { api, services, tenant } = t.context;
  const product = await buildProduct({ ...services.context(), tenant });
  const key = await buildKey({ ...services.context(), tenant }, ['products:read', 'cart:write'], 'publishable');
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${api.url}/docs`);
    const article = page.locator('#getProduct');
    await article.getByRole('button', { name: 'Try it' }).click();
    await article.getByLabel('Test key').fill(key);
    await article.getByLabel('slug').fill(product.slug);
    await article.getByRole('button', { name: 'Send' }).click();
    await article.getByText(/^200 req_/).waitFor();
    t.true((await article.locator('form pre').innerText()).includes(`"slug": "${product.slug}"`));

    // Another operation knows the key already; what the reader wrote is sent as it is.
    const cart = page.locator('#createCart');
    await cart.getByRole('button', { name: 'Try it' }).click();
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
