import type { AddressInfo } from 'node:net';

import { createApp } from '#src/api/app.ts';
import type { Route } from '#src/api/lib/define-route.ts';
import { createHttpServer } from '#src/api/lib/http-server.ts';
import type { Services } from '#src/services.ts';
import { recordResponses } from './record-responses.ts';

/** A response with its body: parsed where it is JSON. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  body: any;
}

export interface TestApi {
  url: string;
  call(
    method: string,
    path: string,
    options?: { tenant?: string; key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<ApiResponse>;
  close(): Promise<void>;
}

/**
 * The real application on a free port, with all its routes or with these. Its responses are recorded, but not where
 * it is sent what comes: chance proves nothing.
 */
export async function serveApi(
  services: Services,
  { routes, isRecorded = !routes }: { routes?: readonly Route[]; isRecorded?: boolean } = {},
): Promise<TestApi> {
  const app = createApp(services, routes);
  const writeRecords = isRecorded ? recordResponses(app, services) : () => undefined;
  const server = createHttpServer(services, app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async call(method, path, { tenant, key, body, headers = {} } = {}) {
      const isText = typeof body === 'string' || body instanceof Uint8Array;
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(tenant && { 'x-tenant-slug': tenant }),
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && !isText && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isText ? (body as string) : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          writeRecords();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
