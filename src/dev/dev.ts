import { readOptions } from '#src/cli/lib/script-options.ts';

/* The same stack as the demo's, left running until Ctrl-C. */

readOptions(
  'Runs everything on this machine, with a store, and prints its URLs and keys. Ctrl-C stops it.\n' +
    'PORT is the port of the API (default 3000); the storefront uses the next one. ' +
    'The other variables of src/cli/DEPLOYMENT.md work, too.',
  'npm run dev --',
  {},
);
const { announceStack } = await import('#src/cli/lib/running-stack.ts');
const { ensureConsole } = await import('#src/console/build/ensure-built.ts');
const { startReceiver } = await import('./demo/receiver.ts');
const { freePort } = await import('./embedded/free-port.ts');
const { onStop } = await import('./stack/on-stop.ts');
const { givenVariables, startStack } = await import('./stack/start-stack.ts');

const print = (line: string) => process.stdout.write(`${line}\n`);
const port = Number(process.env['PORT'] ?? 3000);
for (const wanted of [port, port + 1]) {
  await freePort(wanted).catch((error: Error) => {
    print(`${error.message}\nPORT=4000 npm run dev uses the ports 4000 and 4001 instead.`);
    process.exit(1);
  });
}

const building = ensureConsole().catch((error: Error) => print(`The console is not built. ${error.message}`));
const receiver = await startReceiver();
const stack = await startStack(receiver, {
  workers: 'all',
  port,
  storefrontPort: port + 1,
  environment: givenVariables(),
  report: print,
  restarts: true,
}).catch((error: unknown) => {
  print(error instanceof Error ? error.message : String(error));
  process.exit(1);
});

await building;
const announced = announceStack(stack.environment);
print(`
  storefront    ${stack.storefrontUrl}
  mailbox       ${stack.mailboxUrl}
  docs          ${stack.url}/docs
  operations    ${stack.url}/ops

  console       ${stack.url}/admin?store=${stack.store.slug}        sign in as owner@cedar.example, with the link in the mailbox

  API           ${stack.url}/api/v1        x-tenant-slug: ${stack.store.slug}
  publishable   ${stack.store.publishableKey}
  secret        ${stack.store.secretKey}

  Stripe        ${stack.stripeUrl}        simulated, as are Shippo, mail and embeddings
  Shippo        ${stack.shippoUrl}
  PostgreSQL    ${stack.databaseUrl}
  Redis         ${stack.redisUrl}

npm run cli -- --help lists the commands; Ctrl-C stops everything.`);

onStop(async () => {
  announced.unpublish();
  await stack.stop();
  await receiver.close();
}, 0);
