import { type Audience, acceptedScopes, type Route } from '#src/api/lib/define-route.ts';
import { documentedErrors, errorsOfAll, errorsOfCredential } from '#src/api/lib/documented-errors.ts';
import { limitOf } from '#src/api/lib/limits.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { PageQuery, type TObject, type TSchema, Type } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';
import { describeLimits, limitsOf } from './describe-limits.ts';
import type { Operation, Parameter } from './document.ts';
import type { ParameterPool } from './parameter-pool.ts';
import { responsesOf } from './responses.ts';
import type { SchemaPool } from './schema-pool.ts';

/** One route as an operation of the document. */
export function operationOf(route: Route, schemas: SchemaPool, shared: ParameterPool): Operation {
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...describe(route),
    security: securityOf(route.audience),
    parameters: parametersOf(route, schemas, shared),
    ...bodyOf(route, schemas),
    responses: responsesOf(route, schemas),
    'x-errors': ownErrorsOf(route),
    ...('scope' in route.audience && { 'x-scopes': acceptedScopes(route.audience) }),
    ...limitsOf(route),
  };
}

function describe(route: Route): { description?: string } {
  const notes = [
    route.description,
    route.verified && 'Staff need a session that is verified with the second factor.',
    route.module && `Requires the module \`${route.module}\`.`,
    ...describeLimits(route),
    route.coalesced && 'Identical requests within five seconds count as one.',
  ].filter(Boolean);
  return notes.length > 0 ? { description: notes.join(' ') } : {};
}

/** `{}` stands for an anonymous caller, whose store the header names. */
function securityOf(audience: Audience): Operation['security'] {
  switch (audience.kind) {
    case 'bearer':
      return [
        ...acceptedScopes(audience).map((scope) => ({ key: [scope] })),
        ...(audience.staff ? [{ staffSession: [] }] : []),
      ];
    case 'staff':
      return [{ staffSession: [] }];
    case 'dual':
    case 'token':
      return [{}, { key: [audience.scope] }];
    case 'session':
      return audience.tenantIdOf ? [{}, { session: [] }] : [{ session: [] }];
    default:
      return [];
  }
}

/** The errors that neither the document nor the security schemes of the route have already. */
function ownErrorsOf(route: Route): readonly string[] {
  const schemes = securityOf(route.audience).flatMap((way) => Object.keys(way));
  const said = new Set([
    ...errorsOfAll,
    ...(schemes.includes('key') ? errorsOfCredential.key : []),
    ...(schemes.includes('session') ? errorsOfCredential.session : []),
    ...(schemes.includes('staffSession') ? errorsOfCredential.staffSession : []),
  ]);
  return documentedErrors(route).filter((code) => !said.has(code));
}

function parametersOf(route: Route, schemas: SchemaPool, shared: ParameterPool): Operation['parameters'] {
  const { kind } = route.audience;
  const namesStoreInQuery = route.audience.kind === 'public' && route.audience.slugInQuery === true;
  const named = (name: string) => ({ $ref: `#/components/parameters/${name}` });
  return [
    ...ownParametersOf(route, schemas).map(shared.refer),
    ...Object.keys(pageFields).flatMap((name) => (isPageField(route, name) ? named(name) : [])),
    ...(namesStoreInQuery ? [named('tenantUnlessInQuery'), named('tenantInQuery')] : []),
    ...(kind === 'public' && !namesStoreInQuery ? [named('tenant')] : []),
    ...(kind === 'dual' || kind === 'token' ? [named('tenantUnlessKey')] : []),
    ...(route.idempotent ? [named('idempotencyKey')] : []),
    ...(route.caching === 'revalidate' ? [named('ifNoneMatch')] : []),
    ...(kind !== 'session' && kind !== 'staff' && (route.emails || (route.limit && limitOf(route.limit).perShopper))
      ? [named('clientIp')]
      : []),
  ];
}

/** Those that the route itself defines, without the ones that all lists have. */
export const ownParametersOf = (route: Route, schemas: SchemaPool): Parameter[] => [
  ...fieldsOf(route.params, 'path', schemas),
  ...fieldsOf(route.query, 'query', schemas).filter(({ name }) => !isPageField(route, name)),
];

const isPageField = ({ query }: Route, name: string): boolean =>
  query?.properties[name] !== undefined && query.properties[name] === pageFields[name];

const pageFields: Readonly<Record<string, TSchema>> = PageQuery;

/** The parameters that lists share, by their names. */
export const pageParameters = (schemas: SchemaPool): Readonly<Record<string, Parameter>> =>
  Object.fromEntries(fieldsOf(Type.Object(PageQuery), 'query', schemas).map((field) => [field.name, field]));

function fieldsOf(schema: TObject | undefined, place: 'path' | 'query', schemas: SchemaPool): Parameter[] {
  const required: readonly string[] = schema?.required ?? [];
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const { description, examples: _examples, ...rest } = schemas.refer(field);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
      example: exampleOf(field),
    };
  });
}

/** A body that may be empty may be left out. */
function bodyOf({ body, streamed, form, plainTextJson }: Route, schemas: SchemaPool): Pick<Operation, 'requestBody'> {
  if (streamed) {
    const file = { schema: { type: 'string' } };
    return { requestBody: { required: true, content: Object.fromEntries(streamed.map((type) => [type, file])) } };
  }
  if (!body) return {};
  const content = { schema: schemas.refer(body) };
  return {
    requestBody: {
      required: !fits(body, {}),
      content: {
        'application/json': content,
        ...(form && { 'application/x-www-form-urlencoded': content }),
        ...(plainTextJson && { 'text/plain': content }),
      },
    },
  };
}
