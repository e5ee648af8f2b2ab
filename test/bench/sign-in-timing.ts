import pg from 'pg';

import { newId } from '#src/lib/ids.ts';
import { startStack } from '#src/local/stack/start-stack.ts';

/*
 * Whether the time of a request for a link tells who has an account: 2,000 requests for known addresses and 2,000 for
 * unknown ones, in random order, against real processes whose workers mail the known ones meanwhile.
 *
 *   node_modules/.bin/node test/bench/sign-in-timing.ts [requests of each kind]
 *
 * Says how often a request for a known address takes longer than one for an unknown one. Where nothing can be told it is
 * one half, within 1.96 standard errors (Mann and Whitney) in 95 of 100 runs. Exits with 1 beyond 3.
 */

const count = Number(process.argv[2] ?? 2000);
const warmUp = 200;

interface Asked {
  readonly email: string;
  readonly known: boolean;
  ms: number;
}

const stack = await startStack(
  { url: 'http://127.0.0.1:9/hooks', secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` },
  { workers: 'each', environment: { RATE_LIMIT_SCALE: '100000' }, report: console.log },
);
try {
  const addresses = Array.from({ length: count }, (_, index) => `known-${index}@shopper.example`);
  await rememberCustomers(addresses);
  const asked: Asked[] = addresses.flatMap((email, index) => [
    { email, known: true, ms: 0 },
    { email: `other-${index}@shopper.example`, known: false, ms: 0 },
  ]);
  shuffle(asked);
  for (let index = 0; index < warmUp; index += 1) await ask(`warm-${index}@shopper.example`);
  for (const one of asked) one.ms = await ask(one.email);
  process.exitCode = report(asked) ? 0 : 1;
} finally {
  await stack.stop();
}

async function rememberCustomers(emails: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query(`select set_config('app.platform', 'on', false)`);
  await client.query(
    `insert into customers (tenant_id, id, email, created_at)
     select t.id, c.id, c.email, now() from tenants t, unnest($1::text[], $2::text[]) as c(id, email) where t.slug = $3`,
    [emails.map(() => newId('cus')), emails, stack.store.slug],
  );
  await client.end();
}

async function ask(email: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${stack.url}/api/v1/customer/magic-link/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-tenant-slug': stack.store.slug },
    body: JSON.stringify({ email }),
  });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (response.status !== 200 || text !== '{"ok":true}') throw new Error(`${response.status} ${text}`);
  return ms;
}

function report(asked: readonly Asked[]): boolean {
  const [known, unknown] = [true, false].map((kind) => asked.filter((one) => one.known === kind).map(({ ms }) => ms).toSorted((a, b) => a - b));
  if (!known || !unknown) return false;
  for (const [name, times] of [['known', known], ['unknown', unknown]] as const) {
    const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(3);
    const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
    console.log(`${name.padEnd(8)} ${times.length} requests: mean ${mean.toFixed(3)} ms, median ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}`);
  }
  const longer = shareOfLonger(asked, known.length * unknown.length);
  const standardError = Math.sqrt((known.length + unknown.length + 1) / (12 * known.length * unknown.length));
  const deviation = (longer - 0.5) / standardError;
  console.log(`a known address takes longer in ${(100 * longer).toFixed(2)} % of pairs: ${deviation.toFixed(2)} standard errors from one half`);
  return Math.abs(deviation) < 3;
}

/** Of all pairs of a known and an unknown address, in how many the known one took longer. */
function shareOfLonger(asked: readonly Asked[], pairs: number): number {
  let unknownSoFar = 0;
  let longer = 0;
  for (const { known } of asked.toSorted((left, right) => left.ms - right.ms)) {
    if (known) longer += unknownSoFar;
    else unknownSoFar += 1;
  }
  return longer / pairs;
}

function shuffle(items: Asked[]): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other] as Asked, items[last] as Asked];
  }
}
