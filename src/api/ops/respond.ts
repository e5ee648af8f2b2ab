import type { RouterContext } from '@koa/router';
import type { Context, PlatformContext } from '#src/domain/context.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { parseForm, readBytes } from '../lib/read-request.ts';

const formBytesMax = 16 * 1024;

/** The context of the operator, outside any store. */
const operatorContext = (services: Services): PlatformContext =>
  services.context({ actor: { kind: 'operator', id: services.config.ops?.user ?? 'local' } });

/** The store that `:slug` names, in the name of the operator. Throws not_found. */
export async function contextOf(services: Services, koa: RouterContext): Promise<Context> {
  const tenant = found(await services.tenants.bySlug(koa.params['slug'] ?? ''), 'store');
  return { ...operatorContext(services), tenant };
}

/** The store with this id, in the name of the operator; `undefined` when it was removed and its rows are being deleted. */
export async function contextIn(services: Services, tenantId: string): Promise<Context | undefined> {
  const tenant = await services.tenants.byId(tenantId);
  return tenant && { ...operatorContext(services), tenant };
}

/** The slugs of the stores of these things, by the stores' ids. */
export async function slugsOf(
  services: Services,
  things: readonly { readonly tenantId: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(things.map(({ tenantId }) => tenantId))];
  return new Map(
    await Promise.all(ids.map(async (id) => [id, (await services.tenants.byId(id))?.slug ?? ''] as const)),
  );
}

export async function formOf(koa: RouterContext): Promise<Record<string, string>> {
  const bytes = await readBytes(koa.req, formBytesMax);
  return bytes.length === 0 ? {} : parseForm(bytes, koa.get('content-type'));
}

/** The result of an action, or the message of its error, to be shown on the page. */
export async function orMessage<Value>(work: Promise<Value>): Promise<{ value: Value } | { message: string }> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof DomainError) return { message: error.message };
    throw error;
  }
}

/** Where Bull Board is. */
export const boardPath = '/ops/queues';

/** The board shows `error` and `message` of a response: without a message, nothing but the code of the error. */
export const shownOnBoard = (message: string) => ({ extensions: { message } });

export function show(koa: RouterContext, page: string): void {
  koa.type = 'text/html; charset=utf-8';
  koa.body = page;
}

/** Redirect to a page that shows the result of the action. */
export function redirect(koa: RouterContext, url: string, done: string): void {
  koa.status = 303;
  koa.set('location', `${url}?done=${encodeURIComponent(done)}`);
  koa.body = '';
}

/** Whether the operator has stopped that the page reloads. */
export const isStill = (koa: RouterContext): boolean => koa.query['still'] !== undefined;

/** The result of the last action. It comes from the URL, so only text that looks like our own messages is shown. */
export function doneOf(koa: RouterContext): string | undefined {
  const { done } = koa.query;
  return typeof done === 'string' && /^[A-Za-z0-9 ,.]{1,100}$/.test(done) ? done : undefined;
}
