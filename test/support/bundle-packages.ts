import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The packages that consist of most files, by the names under which the product, its tests and AVA import them. */
const packages = [
  '@mikro-orm/core',
  '@mikro-orm/migrations',
  '@mikro-orm/postgresql',
  '@opentelemetry/api',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@koa/router',
  'ajv-formats',
  'ajv/dist/2020.js',
  'bullmq',
  'cbor2',
  'cbor2/encoder',
  'cbor2/sorts',
  'concordance',
  'globby',
  'ioredis',
  'jose',
  'koa',
  'kysely',
  'nodemailer',
  'pg',
  'pino',
  'prom-client',
  'rate-limiter-flexible',
  'shippo',
  'shippo/lib/http.js',
  'shippo/models/components/shipmentcreaterequest.js',
  'shippo/models/errors/httpclienterrors.js',
  'shippo/models/errors/index.js',
  'shippo/models/errors/responsevalidationerror.js',
  'shippo/models/errors/sdkerror.js',
  'stripe',
  'typebox',
  'typebox/compile',
  'typebox/value',
  'undici',
  'uuid',
];

const root = new URL('../../', import.meta.url);
const lock = new URL('package-lock.json', root);

/**
 * Write each of the largest packages as one file, once for each package-lock.json, so that a test process
 * reads some dozens of files instead of 1,500. Returns the version, for `resolve-directly.ts`.
 */
export async function bundlePackages(): Promise<string> {
  const version = createHash('sha256')
    .update(readFileSync(lock))
    .update(readFileSync(import.meta.filename))
    .digest('hex')
    .slice(0, 12);
  const folder = fileURLToPath(new URL(`node_modules/.cache/storefront/packages-${version}`, root));
  if (existsSync(folder)) return version;

  const unfinished = `${folder}-${process.pid}`;
  const contents = new Map(await Promise.all(packages.map(async (name) => [name, await reexport(name)] as const)));
  await build({
    entryPoints: packages.map((name) => ({ in: `package:${name}`, out: encodeURIComponent(name) })),
    outdir: unfinished,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire('${lock.href}');` },
    logLevel: 'error',
    plugins: [
      {
        name: 'packages',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^package:/ }, ({ path }) => ({ path: path.slice(8), namespace: 'package' }));
          onLoad({ filter: /./, namespace: 'package' }, ({ path }) => ({
            contents: contents.get(path) ?? '',
            resolveDir: fileURLToPath(root),
          }));
        },
      },
    ],
  });
  try {
    renameSync(unfinished, folder);
  } catch {
    // Another run was faster.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return version;
}

/** A module that exports what the package does. The names in a CommonJS package only show once it is loaded. */
async function reexport(name: string): Promise<string> {
  const exported = Object.keys(await import(name));
  if (!exported.includes('module.exports'))
    return `export * from '${name}'; ${exported.includes('default') ? `export { default } from '${name}';` : ''}`;
  const names = exported.filter((key) => key !== 'default' && key !== 'module.exports');
  return `const whole = require('${name}'); export default whole; export const { ${names.join()} } = whole;`;
}
