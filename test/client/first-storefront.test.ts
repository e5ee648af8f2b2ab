import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';

import anyTest, { type TestFn } from 'ava';
import { build } from 'esbuild';

import { startReceiver } from '#src/dev/demo/receiver.ts';
import { freePort } from '#src/dev/embedded/free-port.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { complaintsOf, hasBrowser, launchBrowser } from '#test/support/browser.ts';
import { createEmptyDatabase } from '#test/support/database.ts';
import { codeBlocksOf, commandsOf, markdownFile } from '#test/support/documents.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { payOnHostedPage } from '#test/support/walk-storefront.ts';
import { installClient, type Project } from './install-client.ts';

interface StoreContext {
  project: Project;
  stack: Stack;
  eventsPort: number;
  release: () => Promise<unknown>;
}

const test = anyTest as TestFn<StoreContext>;
const blocks = codeBlocksOf(markdownFile('src/client/README.md'));

test.before(async (t) => {
  t.timeout(120_000);
  const [receiver, database, redis, eventsPort, project] = await Promise.all([
    startReceiver(),
    createEmptyDatabase(),
    createTestRedis(),
    freePort(),
    installClient(),
  ]);
  const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const stack = await startStack(receiver, { workers: 'all', environment });
  const release = async () => {
    await stack.stop();
    receiver.close();
    await Promise.all([database.drop(), project.remove()]);
  };
  t.context = { project, stack, eventsPort, release };
  await project.write(modulesOf(t.context));
});
test.after.always((t) => t.context.release?.());

/** The modules of the document by their first lines, with what `npm run dev` printed in place of what they show. */
function modulesOf({ stack, eventsPort }: StoreContext): Record<string, string> {
  const shown: Readonly<Record<string, string>> = {
    'http://127.0.0.1:3000': stack.url,
    'pk_test_…': stack.store.publishableKey,
    'sk_test_…': stack.store.secretKey,
    '8080': String(eventsPort),
  };
  return Object.fromEntries(
    blocks
      .filter(({ language }) => language === 'ts')
      .map(({ text }) => [
        /^\/\/ (\S+)\n/.exec(text)?.[1] ?? '',
        Object.entries(shown).reduce((text, [from, to]) => text.replaceAll(from, to), text),
      ]),
  );
}

/** A bundle for browsers and edge runtimes: it fails where something of Node.js is imported. */
async function bundle({ folder }: Project, code: string, { minify = false } = {}): Promise<string> {
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

test('the client is installed from its tarball by the documented commands, and its examples have the right types', async (t) => {
  const commands = blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf);
  t.deepEqual(commands, ['npm run client:pack', 'npm install ./storefront-commerce-client-1.0.0.tgz']);
  await t.notThrowsAsync(t.context.project.checkTypes());
});

test('the client has less than 12 kB, and a page that lists products does not load the rest', async (t) => {
  const { project } = t.context;
  const sizeOf = async (code: string) => gzipSync(await bundle(project, code, { minify: true })).length;
  t.true((await sizeOf(`export * from '@storefront-commerce/client';`)) < 12_000);
  const list = `import { createStorefront } from '@storefront-commerce/client';
    for await (const { slug } of createStorefront({ baseUrl: '', tenant: '' }).listProducts()) console.log(slug);`;
  t.true((await sizeOf(list)) < 6000);
  t.notRegex(await bundle(project, list), /whsec_|\/admin\//);
});

test('a server sells with the client, as it does by fetch', async (t) => {
  const { project } = t.context;
  await project.write({
    'server.ts': `
      import { checkOut as checkOutByClient } from './by-client.ts';
      import { checkOut as checkOutByFetch } from './by-fetch.ts';
      import './paths.ts';
      const items = [{ product_slug: 'pour-over-set', quantity: 1 }];
      for (const checkOut of [checkOutByClient, checkOutByFetch])
        console.log(JSON.stringify(await checkOut(items, AbortSignal.timeout(60_000))));`,
  });
  const [name, ...orders] = (await project.run('server.ts')).trim().split('\n');
  t.is(name, 'Oak bowl');
  t.is(orders.length, 2);
  for (const order of orders) t.like(JSON.parse(order), { order: { status: 'pending', currency: 'USD' } });
});

(hasBrowser ? test : test.skip)(
  'a shopper buys on the documented pages, and the receiver gets the event',
  async (t) => {
    t.timeout(120_000);
    const { project, stack } = t.context;
    const receiver = spawn(process.execPath, ['receiver.ts'], {
      cwd: project.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => receiver.kill());
    const packed = once(createInterface(receiver.stdout), 'line');
    const scripts = new Map(
      await Promise.all(
        ['shop', 'order', 'account'].map(
          async (name) => [name, await bundle(project, `import './${name}.ts';`)] as const,
        ),
      ),
    );
    const pages = createServer(({ url = '' }, response) => {
      const script = scripts.get(url.slice(1).replace('.js', ''));
      if (script && url.endsWith('.js')) return response.setHeader('content-type', 'text/javascript').end(script);
      const name = url.slice(1).replace(/\?.*/, '');
      response.setHeader('content-type', 'text/html');
      response.end(
        `<meta charset="utf-8"><link rel="icon" href="data:,"><body><script type="module" src="/${name}.js"></script>`,
      );
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    t.teardown(() => {
      pages.close();
      pages.closeAllConnections();
    });
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const browser = await launchBrowser();
    t.teardown(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const complaints = complaintsOf(page);

    await page.goto(`${origin}/shop`);
    const added = page.waitForResponse((response) => response.url().endsWith('/items') && response.status() === 201);
    await page.getByRole('button', { name: 'Pour-over set, 68' }).click();
    await added;
    await page.getByRole('button', { name: 'Check out' }).click();
    const email = 'ada@shopper.example';
    await page.getByLabel('Email', { exact: true }).fill(email);
    await payOnHostedPage(page);
    await page.getByText(/^Thank you\. Order ORD-\d+ is paid\.$/).waitFor();
    const [, number = ''] = /Order (\S+)/.exec((await page.textContent('body')) ?? '') ?? [];
    t.deepEqual(await packed, [`Pack ${number}.`]);

    page.once('dialog', (dialog) => dialog.accept(email));
    await page.goto(`${origin}/account`);
    await page.getByText('Check your email.').waitFor();
    const mail = await mailboxControl(stack.mailboxUrl).waitForMessage({ to: email, subject: 'Sign in' }, 60_000);
    const [, token = ''] = /[?&]token=([\w.-]+)/.exec(mail.text ?? '') ?? [];
    await page.goto(`${origin}/account?token=${token}`);
    await page.getByText(`${number}: `).waitFor();
    await page.goto(`${origin}/account`);
    await page.getByText(`${number}: `).waitFor();
    t.deepEqual(complaints, []);
  },
);
