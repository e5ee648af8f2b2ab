import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import pg from 'pg';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import { startProcess } from '#src/dev/stack/start-process.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { describeLatencies, percentile } from './lib/numbers.ts';
import { recordCheckout } from './lib/record-checkout.ts';

/*
 * POST /checkout/sessions through the real web process: our own part of it (the provider's time subtracted), beside a
 * bare server that sends the same statements and makes the same calls.
 */

const { requests } = readBenchmark('checkout');
const warmUps = 40;
const simulator = await startStripeSimulator();
const bench = await startBench({ STRIPE_API_BASE: simulator.url });
const { services } = bench;
const tenant = await buildTenant(services);
const ctx: Context = { ...services.context(), tenant };
const account = await buildPaymentAccount(ctx);
const product = await buildProduct(ctx, { variants: [{ stock: 1_000_000 }] });
const promo = await buildPromo(ctx);
const card = await buildGiftCard(ctx, { balanceCents: 100_000_000 });
const key = await buildKey(ctx, ['checkout:write']);

const plain = (number: number) => ({
  items: [{ product_slug: product.slug, quantity: 1 }],
  customer_email: `buyer-${number}@bench.example`,
});
const full = (number: number) => ({ ...plain(number), promo_code: promo.code, gift_card_code: card.code });

/** Our own milliseconds of one request, without the provider's, by the log of the process that served it. */
async function timeOwn(url: string, logged: readonly string[], body: object): Promise<number> {
  const response = await fetch(`${url}/api/v1/checkout/sessions`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
  for (;;) {
    const lines = logged.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line));
    const total = lines.find(({ msg }) => msg === 'request');
    if (total)
      return total.ms - lines.filter(({ msg }) => msg === 'provider call').reduce((sum, { ms }) => sum + ms, 0);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function startBare(bodyOf: typeof plain): Promise<{ time(): Promise<number>; stop(): void }> {
  const recorded = await recordCheckout(services, () => createCheckoutSession(ctx, bodyOf(1_000_000)));
  const child = spawn(process.execPath, [fileURLToPath(new URL('lib/bare-checkout.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(
    JSON.stringify({
      ...recorded,
      databaseUrl: bench.embedded.databaseUrl,
      providerUrl: simulator.url,
      secretKey: account.secretKey,
    }),
  );
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    async time() {
      const { ms, providerMs } = (await (
        await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' })
      ).json()) as { ms: number; providerMs: number };
      return ms - providerMs;
    },
    stop: () => void child.kill(),
  };
}

const client = new pg.Client({ connectionString: bench.embedded.databaseUrl });
await client.connect();
const port = await bench.web({ LOG_LEVEL: 'info' });
const web = startProcess('web', 'src/server.ts', port.environment);

try {
  await web.waitFor('listening');
  // Only now: a process does not start with a table that is not proved to isolate stores.
  await client.query('create table bare_checkouts (id bigint generated always as identity)');
  let buyer = 0;
  for (const [name, bodyOf] of [
    ['one thing', plain],
    ['with promo code and gift card', full],
  ] as const) {
    const { statements } = await countStatements(services, () => createCheckoutSession(ctx, bodyOf((buyer += 1))));
    const bare = await startBare(bodyOf);
    const [own, floor]: [number[], number[]] = [[], []];
    for (let time = 0; time < requests + warmUps; time += 1) {
      const [service, theirs] = [await timeOwn(port.url, web.logged, bodyOf((buyer += 1))), await bare.time()];
      if (time < warmUps) continue;
      own.push(service);
      floor.push(theirs);
    }
    bare.stop();
    const ratio = percentile(floor, 0.5) / percentile(own, 0.5);
    console.log(
      `${name}: ${statements.length} statements (the key of the caller and the frames of transactions not counted)`,
    );
    console.log(`  our own part      ${describeLatencies(own)}`);
    console.log(`  the bare server   ${describeLatencies(floor)}: ratio ${ratio.toFixed(2)}`);
  }
} finally {
  await web.stop();
  await client.end();
  await simulator.close();
  await bench.stop();
}
