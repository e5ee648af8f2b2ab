import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { build } from 'esbuild';

/**
 * A bundle of this code and what it imports in a folder, for browsers and edge runtimes: it fails where something of
 * Node.js is imported.
 */
export async function bundle(folder: string, code: string, { minify = false } = {}): Promise<string> {
  const stdin = { contents: code, resolveDir: folder, loader: 'ts' } as const;
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Pages on a free port: `/shop` is an empty page that runs the module `shop.ts` of the folder. */
export async function servePages(folder: string, modules: readonly string[]) {
  const scripts = new Map<string, string>(
    await Promise.all(
      modules.map(async (name) => [`/${name}.js`, await bundle(folder, `import './${name}.ts';`)] as const),
    ),
  );
  const server = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://127.0.0.1');
    const script = scripts.get(pathname);
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(script ?? `<link rel="icon" href="data:,"><body><script type="module" src="${pathname}.js"></script>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
