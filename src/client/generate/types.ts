import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

import { type ApiDocument, type ApiOperation, type Parameter, parametersOf, type Schema } from './document.ts';

/** The types of every path, schema and webhook, as openapi-typescript writes them. */
export async function typesOf(document: ApiDocument): Promise<string> {
  const nodes = await openapiTS(simplify(document) as OpenAPI3, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    defaultNonNullable: false,
    silent: true,
  });
  return emptyParts.reduce((text, pattern) => text.replaceAll(pattern, ''), astToString(nodes));
}

/** What openapi-typescript writes although it says nothing: a third of the lines. */
const emptyParts = [
  /\n +(query|header|path|cookie|get|put|post|delete|options|head|patch|trace|requestBody)\?: never;/g,
  /\n +headers: \{\n +\[name: string\]: unknown;\n +\};/g,
  /\n +parameters: \{\n +\};/g,
  /\n +\* @enum \{unknown\}/g,
  /\n +\/\*\* (@enum \{unknown\}|@description (OK|Created|Accepted|Error)) \*\//g,
  /\n +responses: \{\n +"2XX": \{\n +content\?: never;\n +\};\n +\};/g,
];

/**
 * The document without what needs no type: examples, the headers that the client sets, and each operation's own list
 * of errors, for which one response stands that has the fields of them all.
 */
function simplify(document: ApiDocument): unknown {
  const { paths, webhooks, components } = document;
  return typedParts({
    ...document,
    paths: mapValues(paths, (operations) =>
      mapValues(operations, (operation) => simplifyOperation(operation, parametersOf(document, operation))),
    ),
    webhooks: mapValues(webhooks, ({ post }) => ({ post: { ...post, parameters: [], responses: { '2XX': done } } })),
    components: {
      schemas: { ...components.schemas, Error: undefined, ErrorBody: errorBodyOf(components) },
      responses: {
        Failed: {
          description: 'Error',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
        },
      },
    },
  });
}

const done = { description: 'OK' };

function simplifyOperation({ responses, ...operation }: ApiOperation, parameters: readonly Parameter[]) {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400 && status !== '304');
  return {
    ...operation,
    description: undefined,
    parameters,
    responses: {
      ...Object.fromEntries(successes.map(([status, response]) => [status, { ...response, headers: undefined }])),
      default: { $ref: '#/components/responses/Failed' },
    },
  };
}

/** The envelope of errors, with the further fields that some of them have. */
function errorBodyOf({ schemas, responses }: ApiDocument['components']): Schema {
  const envelope = schemas['Error'] ?? {};
  const further = Object.values(responses).flatMap(({ content }) =>
    Object.entries(content?.['application/json']?.schema.properties ?? {}),
  );
  return { ...envelope, properties: { ...Object.fromEntries(further), ...envelope.properties } };
}

/** Without examples, and without conditions between fields: `anyOf` beside `properties` says only which are required. */
function typedParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typedParts);
  if (typeof value !== 'object' || value === null) return value;
  const untyped = ['example', 'examples', ...('properties' in value ? ['anyOf', 'allOf'] : [])];
  const parts = Object.entries(value).filter(([key, part]) => part !== undefined && !untyped.includes(key));
  return Object.fromEntries(parts.map(([key, part]) => [key, typedParts(part)]));
}

function mapValues<From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
