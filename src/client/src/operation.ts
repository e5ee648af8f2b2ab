import type { operations } from './generated/api.ts';

/** How an operation is called: what its method needs to know when it runs. */
export interface Operation {
  /** Its method and path: `GET /api/v1/products`. */
  readonly at: string;
  /** What the argument after those of the path is. */
  readonly input?: 'query' | 'body';
  /** The field of a page that has its items. */
  readonly items?: string;
  /** It takes an Idempotency-Key. */
  readonly isIdempotent?: true;
  /** It requires an API key, or a signed-in customer. An operation of the admin area requires its key anyway. */
  readonly needs?: 'key' | 'session';
}

export type OperationTable = Readonly<Record<string, Operation>>;

/** The last argument of every method. */
export interface RequestOptions {
  /** Aborts the request, and waiting between its attempts. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface IdempotentOptions extends RequestOptions {
  /**
   * For 24 hours the same key and body get the same response. Without one each call gets its own, which its attempts
   * share: name one where a shopper may press a button again. Name it after the action, and not after the cart: a
   * checkout that has expired would be returned again.
   */
  readonly idempotencyKey?: string | undefined;
}

type Id = keyof operations;
type JsonOf<Part> = Part extends { content: { 'application/json': infer Json } } ? Json : undefined;
type ParametersOf<Name extends Id> = operations[Name] extends { parameters: infer Parameters } ? Parameters : object;
type ResponsesOf<Name extends Id> = operations[Name] extends { responses: infer Responses } ? Responses : never;

/** The parameters in the path of an operation. */
export type Path<Name extends Id> = ParametersOf<Name> extends { path: infer Path } ? Path : never;

/** The query of an operation. */
export type Query<Name extends Id> = ParametersOf<Name> extends { query?: infer Query } ? NonNullable<Query> : never;

/** The body of an operation's request. */
export type Body<Name extends Id> = operations[Name] extends { requestBody?: infer Request }
  ? JsonOf<NonNullable<Request>>
  : never;

/** The body of an operation's response. */
export type Result<Name extends Id> = JsonOf<ResponsesOf<Name>[keyof ResponsesOf<Name> & (200 | 201 | 202)]>;

/** A page when it is awaited; with `for await` every item, page after page. */
export type List<Name extends Id, Items extends string> = Promise<Result<Name>> &
  AsyncIterable<Result<Name> extends Record<Items, readonly (infer Item)[]> ? Item : never>;
