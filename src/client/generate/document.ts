import type { OpenAPI3 } from 'openapi-typescript';

/** The parts of the API document that methods are generated from. */
export interface ApiDocument extends Omit<OpenAPI3, 'paths' | 'webhooks' | 'components'> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: object }>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  };
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content } | Reference>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Reference {
  readonly $ref: string;
}

export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The parameters that a caller gives, with those that operations share. The client sets the headers and the store. */
export function parametersOf({ components }: ApiDocument, { parameters }: ApiOperation): Parameter[] {
  return parameters
    .flatMap((parameter) => ('in' in parameter ? parameter : (components.parameters[nameOf(parameter)] ?? [])))
    .filter(({ in: place, name }) => place !== 'header' && name !== 'tenant');
}

/** Whether only a store's owner may call it. All that such an operation needs is the secret key. */
export const isAdmin = ({ operationId }: ApiOperation) => operationId.startsWith('admin.');

/** The name of a component that is referred to. */
export const nameOf = ({ $ref }: Reference) => $ref.replace(/^.*\//, '');

/** The responses of an operation that succeeded, without redirects. */
export const successesOf = ({ responses }: ApiOperation) =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, response]) => response);

/** Whether a file is sent or received, which is no JSON. */
export const transfersFile = (operation: ApiOperation) =>
  [operation.requestBody, ...successesOf(operation)].some(
    (part) => part && 'content' in part && part.content && !('application/json' in part.content),
  );
