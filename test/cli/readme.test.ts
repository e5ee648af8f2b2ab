import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import anyTest, { type TestFn } from 'ava';

import { commands } from '#src/cli/commands.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/mailbox.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import { listDeliveries, redeliver, sendTestEvent } from '#src/domain/webhooks/index.ts';
import { callCli } from '#test/support/cli.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildEndpoint, receiverFor } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';

/* The README is read out: each command line in it is run as it is written, in its order, on a store made of its example. */
const [stripe, shippo, mailbox] = await Promise.all([startStripeSimulator(), startShippoSimulator(), startMailbox()]);
const { DATABASE_URL: _another, ...environment } = testEnvironment({
  STRIPE_API_BASE: stripe.url,
  SHIPPO_API_BASE: shippo.url,
  SMTP_URL: mailbox.smtpUrl,
  STRIPE_SECRET_KEY: 'sk_test_readme',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_readme',
  STRIPE_WEBHOOK_SECRET: 'whsec_readme',
  SHIPPO_API_KEY: 'shippo_test_readme',
  SHIPPO_WEBHOOK_TOKEN: 'readme_token_readme_token',
  EASYPOST_API_KEY: 'EZTK_readme',
  ERP_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 'readme').toString('base64')}`,
});
const test = anyTest as TestFn<TestContext>;
useContext(test, { environment });

const folder = mkdtempSync(join(tmpdir(), 'readme-'));
test.after.always(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([stripe.close(), shippo.close(), mailbox.close()]);
});

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
/** In fences, and in the text between backquotes, which may be broken over two lines. */
const lines = [...readme.replaceAll(/\n {2}/g, ' ').matchAll(/npm run cli -- ([^`\n#]+)/g)].map(([, line = '']) =>
  line.trim(),
);
/** Before a store is made of the example, nothing can be asked about it. */
const inOrder = [
  ...lines.filter((line) => /^(example|apply)/.test(line)),
  ...lines.filter((line) => !/^(example|apply)/.test(line)),
];

test.serial('every command line of the README does what it says', async (t) => {
  t.true(inOrder.length >= 20, lines.join('\n'));
  const { services } = t.context;
  const env = { ...environment, DATABASE_URL: services.config.databaseUrl };
  let ids: Record<string, string> = {};
  for (const line of inOrder) {
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

test('the README names no command and no option that there is not', (t) => {
  for (const line of lines) {
    if (line === '--help') continue;
    const command = commands.find(({ name }) => line === name || line.startsWith(`${name} `));
    t.truthy(command, line);
    for (const [, option = ''] of line.matchAll(/--([a-z-]+)/g))
      t.true(option in (command?.options ?? {}), `${line}: --${option}`);
  }
});

async function storeOf({ services, ctx }: TestContext): Promise<TestContext['ctx']> {
  const tenant = await services.tenants.bySlug('cedar-and-clay');
  if (!tenant) throw new Error('The example makes no store that is called so.');
  return { ...ctx, tenant };
}

/** An endpoint and a delivery to speak of. */
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
