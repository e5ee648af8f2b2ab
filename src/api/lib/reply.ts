import { Readable } from 'node:stream';

/** The result of a handler. An object is sent as JSON, a string as HTML, a stream as it comes. */
export interface Reply {
  readonly status: number;
  readonly body: object | string | Readable | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ok = (body: object): Reply => ({ status: 200, body });
export const created = (body: object): Reply => ({ status: 201, body });
export const accepted = (body: object): Reply => ({ status: 202, body });
export const page = (html: string): Reply => ({ status: 200, body: html });
/** Whether the sender of this `Accept` is a browser that shows a page: those ask for no JSON by name. */
export const prefersPage = (accept: string): boolean =>
  accept.includes('text/html') && !accept.includes('application/json');
/** A file to be downloaded, in pieces. One that fails in the middle ends the connection. */
export const file = (
  pieces: AsyncIterable<string | Buffer>,
  { name, type }: { name: string; type: string },
): Reply => ({
  status: 200,
  body: Readable.from(pieces, { objectMode: false }),
  headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
});
export const redirect = (url: string): Reply => ({ status: 302, body: undefined, headers: { location: url } });
