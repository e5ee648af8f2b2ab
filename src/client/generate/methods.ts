import { type ApiOperation, type Content, isAdmin, nameOf, type Parameter, successesOf } from './document.ts';

/** An operation with its place in the API and the parameters that a caller gives. */
export interface PlacedOperation extends ApiOperation {
  readonly path: string;
  readonly method: string;
  readonly given: readonly Parameter[];
}

/** A file with an interface that has a method for each operation, and the table that the methods are made of. */
export function methodsFile(name: string, operations: readonly PlacedOperation[]): string {
  const methods = operations.map((operation) => `  /** ${describe(operation)} */\n  ${signatureOf(operation)}`);
  const rows = operations.map((operation) => `  ${methodOf(operation)}: ${rowOf(operation)},`);
  const types = ['Body', 'IdempotentOptions', 'List', 'OperationTable', 'Path', 'Query', 'RequestOptions', 'Result'];
  const text = `
export interface ${name}Operations {
${methods.join('\n')}
}

export const ${name.toLowerCase()}Operations: OperationTable = {
${rows.join('\n')}
};
`;
  const used = types.filter((type) => new RegExp(`\\b${type}\\b`).test(text));
  return `import type { ${used.join(', ')} } from '../operation.ts';\n${text}`;
}

/** What it does, and what a shopper's page has to have for it. */
function describe(operation: PlacedOperation): string {
  const scopes = operation.security.flatMap(({ key = [] }) => key).map((scope) => `\`${scope}\``);
  const requirements = { key: `Requires a key with ${scopes.join(', ')}.`, session: 'Requires a session.' };
  return [operation.summary, ...needsOf(operation).map((need) => requirements[need])].join(' ');
}

/** `getOrder(id: string, options?: RequestOptions): Promise<Result<'admin.getOrder'>>;` */
function signatureOf(operation: PlacedOperation): string {
  const { operationId: id } = operation;
  const input = inputOf(operation);
  const items = itemsOf(operation);
  const parameters = [
    ...pathParametersOf(operation).map(({ name, schema }) => {
      const isText = schema.type === 'string' && !schema.enum;
      return `${name}: ${isText ? 'string' : `Path<'${id}'>['${name}']`}`;
    }),
    ...(input
      ? [`${input.kind}${input.isRequired ? '' : '?'}: ${input.kind === 'query' ? 'Query' : 'Body'}<'${id}'>`]
      : []),
    `options?: ${isIdempotent(operation) ? 'IdempotentOptions' : 'RequestOptions'}`,
  ];
  const result = items ? `List<'${id}', '${items}'>` : `Promise<Result<'${id}'>>`;
  return `${methodOf(operation)}(${parameters.join(', ')}): ${result};`;
}

/** What the client has to know of an operation when it runs. */
function rowOf(operation: PlacedOperation): string {
  const items = itemsOf(operation);
  const input = inputOf(operation)?.kind;
  return `{ ${[
    `at: '${operation.method.toUpperCase()} ${operation.path}'`,
    ...(input ? [`input: '${input}'`] : []),
    ...(items ? [`items: '${items}'`] : []),
    ...(isIdempotent(operation) ? ['isIdempotent: true'] : []),
    ...(isAdmin(operation) ? [] : needsOf(operation).map((need) => `needs: '${need}'`)),
  ].join(', ')} }`;
}

const methodOf = ({ operationId }: ApiOperation) => operationId.replace(/^.*\./, '');

const needsOf = ({ security }: ApiOperation) =>
  (['key', 'session'] as const).filter((need) => security.length > 0 && security.every((way) => need in way));

const isIdempotent = ({ parameters }: ApiOperation) =>
  parameters.some((parameter) => '$ref' in parameter && nameOf(parameter) === 'idempotencyKey');

/** In the order of the path, in which a method takes them. */
function pathParametersOf(operation: PlacedOperation): readonly Parameter[] {
  const named = new Map(operation.given.map((parameter) => [parameter.name, parameter]));
  return [...operation.path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => named.get(name) ?? []);
}

/** The one argument beside the path: the body where there is one, or the query. */
function inputOf(operation: PlacedOperation): { kind: 'query' | 'body'; isRequired: boolean } | undefined {
  const query = operation.given.filter((parameter) => parameter.in === 'query');
  const isQueryRequired = query.some(({ required }) => required);
  const { requestBody } = operation;
  if (requestBody && isQueryRequired) throw new Error(`${operation.operationId} requires both a body and a query.`);
  if (requestBody) return { kind: 'body', isRequired: requestBody.required };
  return query.length > 0 ? { kind: 'query', isRequired: isQueryRequired } : undefined;
}

/** The field of a page that has its items, if the operation returns pages. */
function itemsOf(operation: ApiOperation): string | undefined {
  const [page] = successesOf(operation).map((response) =>
    'content' in response ? propertiesOf(response.content) : {},
  );
  if (!page || !('cursor' in page)) return undefined;
  const lists = Object.entries(page).filter(([, schema]) => schema.type === 'array');
  if (lists.length !== 1) throw new Error(`${operation.operationId} has ${lists.length} lists in a page.`);
  return lists[0]?.[0];
}

const propertiesOf = (content: Content | undefined) => content?.['application/json']?.schema.properties ?? {};
