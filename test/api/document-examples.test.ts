import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import anyTest, { type TestFn } from 'ava';

import type { ApiResponse } from '#test/support/api.ts';
import { type StoreContext, useStore } from '#test/support/every-route.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';

/*
 * The API document as its readers use it: each operation is sent the examples of the document, and a public validator
 * compares the response with the schema of the document.
 */
const test = anyTest as TestFn<StoreContext>;
useStore(test, { ports: { payments: fakePaymentGateway(), shipping: fakeShippingGateway() } });

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

test('every example of the API document can be sent, and its response matches the document', async (t) => {
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
