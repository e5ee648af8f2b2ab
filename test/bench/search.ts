import { Agent, request } from 'undici';
import { readConfig } from '#src/config.ts';
import { transact } from '#src/database/transact.ts';
import { startEmbeddingsSimulator } from '#src/dev/simulators/embeddings/simulator.ts';
import { startProcess } from '#src/dev/stack/start-process.ts';
import { type ProductInput, saveProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { silentLog } from '#src/lib/log.ts';
import { rawSql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { leaveUnanalyzed } from '#test/support/explain-statements.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { describeLatencies, inParallel, timed } from './lib/numbers.ts';

/*
 * Searches in a store of 10,000 products, by text and by meaning, at the real web process: a moment after the store was
 * filled, when PostgreSQL has not counted its rows, and when it has.
 */

const { products, searches } = readBenchmark('search');
const dimensions = 512;

const colours = 'red blue grey white green black amber olive rust sand'.split(' ');
const materials = 'stoneware oak linen wool glass leather brass cotton marble bamboo'.split(' ');
const things =
  'mug bowl plate carafe skillet sofa chair lamp rug blanket pillow curtain towel vase planter candle tee sweater jacket bag'.split(
    ' ',
  );
const meant =
  'cup dish platter jug pan couch seat light carpet throw cushion drape washcloth urn flowerpot taper tshirt jumper coat tote'.split(
    ' ',
  );
/** As long as a description is: its snippet has to be searched. */
const story = `Each piece is finished by the two people whose names stand on the label, in a workshop by the river that has been
there for ninety years. It wears in rather than out, and what breaks is mended for the price of the postage. We send it
in a box of grey board without a gram of plastic, and should it not be what you hoped for, you have a month to think about it.`;
const pick = (list: readonly string[], number: number) => list[number % list.length] ?? '';

const say = (message: string) => console.log(message);
const bench = await startBench();
const simulator = await startEmbeddingsSimulator({ dimensions });
const embeddings = { EMBEDDINGS_URL: simulator.url, EMBEDDINGS_KEY: 'sk-simulated', EMBEDDINGS_MODEL: 'simulated-1' };
const services = await createServices(readConfig({ ...bench.environment, ...embeddings }), 'bench', { log: silentLog });
const tenant = await buildTenant(services);
const ctx: Context = { ...services.context(), tenant };

const kinds = {
  words: (number: number) => `${pick(materials, number)} ${pick(things, number * 7)}`,
  'one word': (number: number) => pick(things, number),
  misspelled: (number: number) => pick(things, number).replace(/(.)(.)$/, '$2$1'),
  'every one': (number: number) => pick(['made by hand', 'every day', 'next morning', 'workshop by the river'], number),
  synonyms: (number: number) => `${pick(colours, number)} ${pick(meant, number * 3)}`,
  SKUs: (number: number) => `sku-${(number * 37) % products}`,
};

try {
  await leaveUnanalyzed(services, [
    'products',
    'product_tags',
    'variants',
    'search_documents',
    'search_embeddings',
    'outbox',
  ]);
  say(`${products} products saved in ${Math.round(await timed(saveAll))} s`);
  say(`indexed and embedded in ${Math.round(await timed(() => runJobs(services, { rounds: products })))} s`);
  const agent = new Agent({ connections: 4 });
  for (const [mode, more] of [
    ['text', {}],
    ['semantic', embeddings],
  ] as const)
    await measure(`${mode}, uncounted`, more, agent);
  await services.execute(rawSql('analyze'));
  for (const [mode, more] of [
    ['text', {}],
    ['semantic', embeddings],
  ] as const)
    await measure(`${mode}, counted`, more, agent);
  await agent.close();
} finally {
  await services.close();
  await simulator.close();
  await bench.stop();
}

async function measure(name: string, more: Record<string, string>, agent: Agent): Promise<void> {
  const { environment, url } = await bench.web(more);
  const web = startProcess('web', 'src/server.ts', environment);
  await web.waitFor('listening');
  const modes: Record<string, number> = {};
  let sent = 0;
  const search = async (q: string) => {
    // With different limits, because a repeated URL is served from the reply cache.
    const limit = 10 + (sent++ % 90);
    const response = await request(`${url}/api/v1/search?q=${encodeURIComponent(q)}&limit=${limit}`, {
      headers: { 'x-tenant-slug': tenant.slug },
      dispatcher: agent,
    });
    const body = JSON.parse(await response.body.text());
    if (response.statusCode !== 200) throw new Error(JSON.stringify(body));
    modes[body.mode] = (modes[body.mode] ?? 0) + 1;
  };
  const first = await timed(() => search('first'));
  say(`${name}: the first search took ${Math.round(first * 1000)} ms`);
  await inParallel(
    Array.from({ length: 100 }, (_, number) => Object.values(kinds)[number % 6]?.(number) ?? ''),
    2,
    search,
  );
  const all: number[] = [];
  for (const [kind, queryOf] of Object.entries(kinds)) {
    const queries = Array.from({ length: Math.ceil(searches / 6) }, (_, number) => queryOf(number));
    const latencies = await inParallel(queries, 2, search);
    all.push(...latencies);
    say(`${name}: ${kind.padEnd(10)} ${describeLatencies(latencies)}`);
  }
  say(`${name}: all        ${describeLatencies(all)} (aim: p99 < 150 ms, which is what the embedder alone is given)`);
  say(
    `${name}: answered ${Object.entries(modes)
      .map(([mode, count]) => `${count} by ${mode}`)
      .join(', ')}`,
  );
  await web.stop();
}

async function saveAll(): Promise<void> {
  for (let at = 0; at < products; at += 500) {
    const numbers = Array.from({ length: Math.min(500, products - at) }, (_, index) => at + index);
    await transact(ctx, (ctx) => saveProducts(ctx, numbers.map(makeProduct), {}));
  }
}

function makeProduct(number: number): ProductInput {
  const [material, thing] = [pick(materials, Math.floor(number / 10)), pick(things, Math.floor(number / 100))];
  const name = `${pick(colours, number)} ${material} ${thing} no. ${number}`;
  return {
    slug: `product-${number}`,
    name,
    description: `A ${name} for every day, made by hand and sent the next morning. ${story}`,
    tags: [pick(colours, number)],
    variants: [{ sku: `sku-${number}`, price_cents: 1000 + number }],
  };
}
