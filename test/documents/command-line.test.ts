import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import anyTest, { type TestFn } from 'ava';

import { commands } from '#src/cli/commands.ts';
import { commonOptions } from '#src/cli/lib/parse-call.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { listDeliveries, redeliver, sendTestEvent } from '#src/domain/webhooks/index.ts';
import { callCli } from '#test/support/cli.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { codeBlocksOf, commandsOf, markdownFiles } from '#test/support/documents.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildEndpoint, receiverFor } from '#test/support/factories/webhooks.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { reportProcess } from '#test/support/report-process.ts';
import { runJobs } from '#test/support/run-jobs.ts';

/* Each command of the command line that a document shows is run as it is written, on a store made of the example. */
const [stripe, shippo, mailbox] = await Promise.all([startStripeSimulator(), startShippoSimulator(), startMailbox()]);
const { DATABASE_URL: _another, ...environment } = testEnvironment({
  REDIS_URL: (await createTestRedis()).url,
  STRIPE_API_BASE: stripe.url,
  SHIPPO_API_BASE: shippo.url,
  SMTP_URL: mailbox.smtpUrl,
  STRIPE_SECRET_KEY: 'sk_test_documents',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_documents',
  STRIPE_WEBHOOK_SECRET: 'whsec_documents',
  SHIPPO_API_KEY: 'shippo_test_documents',
  SHIPPO_WEBHOOK_TOKEN: 'documents_token_documents_token',
  EASYPOST_API_KEY: 'EZTK_documents',
  ERP_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 'documents').toString('base64')}`,
});
const test = anyTest as TestFn<TestContext>;
useContext(test, { environment });

const folder = mkdtempSync(join(tmpdir(), 'documents-'));
test.after.always(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([stripe.close(), shippo.close(), mailbox.close()]);
});

/** In blocks, and in the text between backquotes, which may be broken over two lines. */
const lines = [
  ...new Set(
    markdownFiles.flatMap(({ text }) =>
      [
        ...text.replaceAll(/(`[^`\n]*)\n *([^`\n]*`)/g, '$1 $2').matchAll(/npm run (?:--silent )?cli -- ([^`\n#"]+)/g),
      ].map(([, line = '']) => line.trim()),
    ),
  ),
];

/** A store is made of the example first, keys are created before they are used, and what deletes comes last. */
const ranks: readonly RegExp[] = [
  /^example/,
  /^apply .*--dry-run/,
  /^apply/,
  /^(?:keys create|staff invite|webhooks:register)/,
  /^(?!keys revoke|staff revoke|erase)/,
];
const rankOf = (line: string) => {
  const rank = ranks.findIndex((pattern) => pattern.test(line));
  return rank === -1 ? ranks.length : rank;
};
const inOrder = lines.toSorted((left, right) => rankOf(left) - rankOf(right));

test.serial('every command of the command line that a document shows does what it says', async (t) => {
  t.true(inOrder.length >= 25, lines.join('\n'));
  const { services } = t.context;
  const env = { ...environment, DATABASE_URL: services.config.databaseUrl };
  const worker = await reportProcess('worker', env);
  t.teardown(() => worker.close());
  let ids: Record<string, string> = {};
  for (const line of inOrder) {
    if (line.includes('ORD-1001')) await checkOutSomething(await storeOf(t.context));
    if (line.includes('whe_…') && !ids['whe_…']) ids = await deliverSomething(t, await storeOf(t.context));
    const [written = '', file] = line.split(' > ');
    const words = written.split(' ').map((word) => ids[word] ?? (word === 'store.yaml' ? join(folder, word) : word));
    const { code, out, err } = await callCli(words, env);
    t.is(code, 0, `${line}\n${out}${err}`);
    t.not(out, '', line);
    if (file) writeFileSync(join(folder, file), out);
  }
  const { openapi } = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'));
  t.regex(openapi, /^3\.1/);
});

test('what a document writes to a file is written as it is, without the lines that npm prints', async (t) => {
  const written = markdownFiles
    .flatMap(codeBlocksOf)
    .flatMap(commandsOf)
    .filter((command) => / cli -- .* > /.test(command));
  t.true(written.length >= 2, written.join('\n'));
  for (const command of written) {
    const [, words = ''] = / cli -- (.*) > /.exec(command) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace(/ > .*/, '')]);
    t.true(stdout === (await callCli(words.split(' '))).out, `${command}\n${stdout.slice(0, 200)}`);
  }
});

test('documents name no command and no option that does not exist', (t) => {
  for (const line of lines) {
    if (line === '--help') continue;
    const command = commands.find(({ name }) => line === name || line.startsWith(`${name} `));
    t.truthy(command, line);
    for (const [, option = ''] of line.matchAll(/--([a-z-]+)/g))
      t.true(option in { ...command?.options, ...commonOptions }, `${line}: --${option}`);
  }
});

async function storeOf({ services, ctx }: TestContext): Promise<TestContext['ctx']> {
  const tenant = await services.tenants.bySlug('cedar-and-clay');
  if (!tenant) throw new Error('The example makes no store that is called so.');
  return { ...ctx, tenant };
}

/** The first order of the store. */
async function checkOutSomething(ctx: TestContext['ctx']): Promise<void> {
  const { order_number: number } = await createCheckoutSession(ctx, {
    items: [{ product_slug: 'coffee', quantity: 1 }],
    customer_email: 'grace@example.com',
  });
  if (number !== 'ORD-1001') throw new Error(`The first order is ${number}.`);
}

/** An endpoint with a delivery that was attempted. */
async function deliverSomething(
  t: Parameters<typeof receiverFor>[0] & { context: TestContext },
  ctx: TestContext['ctx'],
): Promise<Record<string, string>> {
  const { id } = await buildEndpoint(ctx, await receiverFor(t));
  await sendTestEvent(ctx, { id });
  await runJobs(t.context.services);
  const [delivery] = (await listDeliveries(ctx, { endpointId: id, limit: 1 })).rows;
  await redeliver(ctx, { id: delivery?.id ?? '' });
  return { 'whe_…': id, 'whd_…': delivery?.id ?? '' };
}
