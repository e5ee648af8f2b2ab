import type { Route } from '#src/api/lib/define-route.ts';
import { errorsOfAll } from '#src/api/lib/documented-errors.ts';
import { headers, parameters, securitySchemes } from './components.ts';
import type { OpenApiDocument } from './document.ts';
import { introduction } from './introduction.ts';
import { operationOf, ownParametersOf, pageParameters } from './operation.ts';
import { createParameterPool } from './parameter-pool.ts';
import { sharedResponses } from './responses.ts';
import { createSchemaPool } from './schema-pool.ts';
import { webhookHeaders, webhooksOf } from './webhooks.ts';

/** The version of the API, as in the specification. */
const version = '1.0.0';

/**
 * The OpenAPI 3.1 document, built from the route definitions that also validate requests.
 * The webhooks of providers are left out: only providers call them.
 */
export function openApiDocument(routes: readonly Route[], { publicUrl }: { publicUrl: string }): OpenApiDocument {
  const schemas = createSchemaPool();
  const documented = routes.filter(({ audience }) => audience.kind !== 'inbound');
  const shared = createParameterPool(documented.flatMap((route) => ownParametersOf(route, schemas)));
  const byPath = Map.groupBy(documented, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  const paths = [...byPath].toSorted(byName).map(([path, routes]) => {
    const operations = routes.map((route) => [route.method, operationOf(route, schemas, shared)] as const);
    return [path, Object.fromEntries(operations.toSorted(byName))] as const;
  });
  const webhooks = webhooksOf(schemas);
  const responses = sharedResponses(documented, schemas);
  return {
    openapi: '3.1.0',
    info: { title: 'Storefront Commerce API', version, description: introduction },
    servers: [{ url: publicUrl }],
    tags: [...new Set(documented.map(({ tag }) => tag))].toSorted(byReader).map((name) => ({ name })),
    'x-errors': errorsOfAll,
    paths: Object.fromEntries(paths),
    webhooks,
    components: {
      schemas: schemas.components(),
      parameters: { ...parameters, ...pageParameters(schemas), ...shared.components(), ...webhookHeaders },
      headers,
      responses,
      securitySchemes,
    },
  };
}

/** A fixed order, so that two versions of the document can be read side by side. */
const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) => (left < right ? -1 : 1);

/** The storefront's tags first, in alphabetical order, then the owner's. */
function byReader(left: string, right: string): number {
  return Number(left.startsWith('admin-')) - Number(right.startsWith('admin-')) || (left < right ? -1 : 1);
}
