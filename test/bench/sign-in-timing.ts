import pg from 'pg';
import { startStack } from '#src/dev/stack/start-stack.ts';
import { newId } from '#src/lib/ids.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { percentile } from './lib/numbers.ts';

/*
 * Whether the response time of a request for a link reveals who has an account: 2,000 requests for known addresses and
 * 2,000 for unknown ones, in random order, against real processes whose workers email the known ones meanwhile.
 *
 * Prints how often a request for a known address takes longer than one for an unknown one. If the times reveal nothing,
 * it is one half, within 1.96 standard errors (Mann and Whitney) in 95 of 100 runs. Exits with 1 beyond 3. It also
 * prints the smallest delay that this run would have detected, and compares the request after each one, which the
 * emails for a known address may delay.
 */

const { requests: count } = readBenchmark('sign-in-timing');
const warmUp = 200;
const standardErrorsMax = 3;

/** How long a request took, and whether it is of those that are suspected of taking longer. */
interface Timed {
  readonly known: boolean;
  readonly ms: number;
}

interface Request extends Timed {
  readonly email: string;
  ms: number;
}

const stack = await startStack(
  { url: 'http://127.0.0.1:9/hooks', secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` },
  { workers: 'each', environment: { RATE_LIMIT_SCALE: '100000' }, report: console.log },
);
try {
  const addresses = Array.from({ length: count }, (_, index) => `known-${index}@shopper.example`);
  await insertCustomers(addresses);
  const requests: Request[] = addresses.flatMap((email, index) => [
    { email, known: true, ms: 0 },
    { email: `other-${index}@shopper.example`, known: false, ms: 0 },
  ]);
  shuffle(requests);
  for (let index = 0; index < warmUp; index += 1) await request(`warm-${index}@shopper.example`);
  for (const one of requests) one.ms = await request(one.email);
  describe(requests);
  const isSilent = revealsNothing('a known address', requests);
  const followers = requests.slice(1).map(({ ms }, index) => ({ ms, known: requests[index]?.known ?? false }));
  const isEchoSilent = revealsNothing('whatever comes after a known address', followers);
  process.exitCode = isSilent && isEchoSilent ? 0 : 1;
} finally {
  await stack.stop();
}

async function insertCustomers(emails: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query(`select set_config('app.platform', 'on', false)`);
  await client.query(
    `insert into customers (tenant_id, id, email, created_at)
     select t.id, c.id, c.email, now() from tenants t, unnest($1::text[], $2::text[]) as c(id, email)
     where t.slug = $3`,
    [emails.map(() => newId('cus')), emails, stack.store.slug],
  );
  await client.end();
}

async function request(email: string): Promise<number> {
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

function describe(requests: readonly Timed[]): void {
  for (const [name, kind] of [
    ['known', true],
    ['unknown', false],
  ] as const) {
    const times = requests.filter(({ known }) => known === kind).map(({ ms }) => ms);
    const at = (share: number) => percentile(times, share).toFixed(3);
    const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
    console.log(
      `${name.padEnd(8)} ${times.length} requests: mean ${mean.toFixed(3)} ms, median ${at(0.5)}, p90 ${at(0.9)}, ` +
        `p99 ${at(0.99)}`,
    );
  }
}

/** Whether the two kinds cannot be distinguished, with the smallest delay that would have been detected. */
function revealsNothing(what: string, timed: readonly Timed[]): boolean {
  const deviation = deviationOf(timed);
  console.log(
    `${what} takes longer in ${(100 * deviation.share).toFixed(2)} % of pairs: ` +
      `${deviation.standardErrors.toFixed(2)} standard errors from one half`,
  );
  const slowed = (byMs: number) => timed.map(({ known, ms }) => ({ known, ms: known ? ms + byMs : ms }));
  let [less, enough] = [0, 100];
  while (enough - less > 0.005) {
    const middle = (less + enough) / 2;
    if (deviationOf(slowed(middle)).standardErrors < standardErrorsMax) less = middle;
    else enough = middle;
  }
  console.log(`  ${enough.toFixed(2)} ms more would have been told`);
  return Math.abs(deviation.standardErrors) < standardErrorsMax;
}

/** Of all pairs of a known and an unknown one, in how many the known one took longer, and how unlikely that is. */
function deviationOf(timed: readonly Timed[]): { share: number; standardErrors: number } {
  let [unknownSoFar, knownSoFar, longer] = [0, 0, 0];
  for (const { known } of timed.toSorted((left, right) => left.ms - right.ms)) {
    if (known) [knownSoFar, longer] = [knownSoFar + 1, longer + unknownSoFar];
    else unknownSoFar += 1;
  }
  const pairs = knownSoFar * unknownSoFar;
  const standardError = Math.sqrt((knownSoFar + unknownSoFar + 1) / (12 * pairs));
  return { share: longer / pairs, standardErrors: (longer / pairs - 0.5) / standardError };
}

function shuffle(items: Request[]): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other] as Request, items[last] as Request];
  }
}
