import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import react from '@vitejs/plugin-react';
import { build } from 'vite';

import { built, digestSources, root } from './digest.ts';
import { materialIcons } from './material-icons.ts';
import { putInPlace } from './put-in-place.ts';

/** Build the console to `src/console/dist`. */
export async function buildConsole(): Promise<void> {
  const digest = digestSources();
  const unfinished = `${built}-${process.pid}`;
  await build({
    configFile: false,
    root: join(root, 'src/console'),
    base: '/admin/',
    logLevel: 'warn',
    plugins: [react(), materialIcons()],
    resolve: { alias: { '@storefront-commerce/client': join(root, 'src/client/src/index.ts') } },
    // The web process puts a new nonce into each response.
    html: { cspNonce: '{nonce}' },
    build: {
      outDir: unfinished,
      manifest: 'manifest.json',
      target: 'es2022',
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1000,
    },
  });
  compress(join(unfinished, 'assets'));
  writeFileSync(join(unfinished, 'digest'), digest);
  putInPlace(unfinished, built, digest);
}

/** Beside each file, as browsers receive it. */
function compress(assets: string): void {
  for (const name of readdirSync(assets)) {
    const bytes = readFileSync(join(assets, name));
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}
