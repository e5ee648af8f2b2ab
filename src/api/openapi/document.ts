/* The parts of an OpenAPI 3.1 document that ours uses. */

/** A schema: JSON Schema 2020-12, without keywords of our own. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** A reference to one of the document's components. */
export interface Reference {
  readonly $ref: string;
}

export interface Content {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export type ByMediaType = Readonly<Record<string, Content>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: ByMediaType;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Any of these is sufficient; `{}` is an anonymous caller. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: ByMediaType };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** The codes of its errors, beyond those of the document and of the security schemes that it accepts. */
  readonly 'x-errors'?: readonly string[];
  /** Scopes of a key, any of which is sufficient. */
  readonly 'x-scopes'?: readonly string[];
  /** Requests in a window of so many seconds; `RATE_LIMIT_SCALE` and limits of a store or a key are not in it. */
  readonly 'x-rate-limit'?: WindowLimit;
  /** Emails to unconfirmed recipients that requests may cause in a window. */
  readonly 'x-email-limit'?: WindowLimit & { readonly per_recipient: number };
}

/** How a caller identifies itself. */
export interface SecurityScheme {
  readonly type: string;
  readonly description: string;
  /** The codes of errors that every operation can return that accepts it. */
  readonly 'x-errors': readonly string[];
}

interface WindowLimit {
  readonly seconds: number;
  readonly per_shopper?: number;
  /** Over all operations. */
  readonly per_secret_key?: number;
  readonly per_store?: number;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  /** The codes of errors that every operation can return. */
  readonly 'x-errors': readonly string[];
  /** By path, then by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** By event type. */
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}
