import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import Router from '@koa/router';
import { build } from 'esbuild';
import Koa, { type Middleware } from 'koa';

import { type Listening, listen } from '#src/dev/listen.ts';
import { unusualDecimals } from '#src/lib/currency.ts';

/** The settings of the pages: the service's URL, the store's slug and its publishable key. */
export interface StorefrontSettings {
  /** Of the service. */
  readonly url: string;
  readonly slug: string;
  readonly key: string;
  readonly mailbox: string;
  /** Pages of the demo that no shopper would see. */
  readonly backstage: readonly { readonly name: string; readonly url: string }[];
}

export interface StorefrontOptions {
  readonly port: number;
  readonly settings: StorefrontSettings;
  /** No carrier moves the parcels of the demo: its visitor sets their status. */
  readonly moveParcel: (trackingNumber: string, status: 'TRANSIT' | 'DELIVERED') => Promise<unknown>;
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const filePath = /^\/(page|pictures)\/([a-z-]+\/)?[a-z0-9-]+\.(js|css|svg)$/;

/**
 * The demo's storefront: plain HTML, CSS and a little script that call the public API with its client, as any storefront
 * may. This only serves the files.
 */
export async function serveStorefront({ port, settings, moveParcel }: StorefrontOptions): Promise<Listening> {
  const page = (await readFile(join(folder, 'page/index.html'), 'utf8')).replace(
    '{settings}',
    asScriptText({ ...settings, movesParcels: true, unusualDecimals }),
  );
  const client = await bundleClient();
  const router = new Router();
  router.get('/client.js', (koa) => {
    koa.type = 'text/javascript';
    koa.body = client;
  });
  router.post('/demonstration/parcels/:number/:status', async (koa) => {
    const { number = '', status } = koa.params;
    if (status !== 'TRANSIT' && status !== 'DELIVERED') return;
    await moveParcel(number, status);
    koa.status = 204;
  });

  const app = new Koa();
  app.use(protect(settings));
  app.use(router.routes());
  app.use(async (koa) => {
    if (filePath.test(koa.path)) {
      koa.body = await readFile(join(folder, koa.path)).catch(() => null);
      koa.type = types[extname(koa.path)] ?? '';
    } else if (extname(koa.path) === '') {
      koa.type = 'html';
      koa.body = page;
    }
  });
  return listen(createServer(app.callback()), port);
}

/** The client as one module for the pages, which no bundler of theirs has to make. */
async function bundleClient(): Promise<string> {
  const contents = "export * from '#src/client/src/index.ts';";
  const stdin = { contents, resolveDir: folder };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', write: false });
  return outputFiles[0]?.text ?? '';
}

/** The pages run their own script and no other, and talk to the API alone. */
function protect({ url }: StorefrontSettings): Middleware {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https: data:",
    `connect-src 'self' ${new URL(url).origin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return async (koa, next) => {
    koa.set({
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
    });
    await next();
  };
}

/** JSON that cannot end the script element that it stands in. */
const asScriptText = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');
