/** The result of a handler. An object is sent as JSON, a string as HTML. */
export interface Reply {
  readonly status: number;
  readonly body: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ok = (body: object): Reply => ({ status: 200, body });
export const created = (body: object): Reply => ({ status: 201, body });
export const accepted = (body: object): Reply => ({ status: 202, body });
export const page = (html: string): Reply => ({ status: 200, body: html });
export const redirect = (url: string): Reply => ({ status: 302, body: undefined, headers: { location: url } });
