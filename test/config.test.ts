import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import test from 'ava';

import { queueNames } from '#jobs/queues.ts';
import { ConfigError, readConfig, readDatabaseUrl } from '#src/config.ts';
import { concurrencyVariable, Environment } from '#src/environment.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { givenByRunner } from '#test/support/environment.ts';
import { runEntry } from '#test/support/run-entry.ts';

const base64 = (bytes: number) => randomBytes(bytes).toString('base64');

/** An environment that a public process can start with. */
const live = {
  APP_MODE: 'live',
  PUBLIC_URL: 'https://api.cedar.example',
  DATABASE_URL: 'postgres://shop:hush-database@db.example/shop',
  REDIS_URL: 'rediss://:hush-redis@redis.example:6379',
  ENCRYPTION_KEYS: `k2:${base64(32)},k1:${base64(32)}`,
  KEY_PEPPER: base64(32),
  OPS_USER: 'ops',
  OPS_PASSWORD: 'hush-ops-password',
  SMTP_URL: 'smtp://mail:hush-mail@mail.example',
  MAIL_FROM: 'Cedar <hello@cedar.example>',
} as const;
const { PUBLIC_URL: _url, OPS_USER: _user, OPS_PASSWORD: _password, ...bare } = live;
const local = { ...bare, APP_MODE: 'test', LOCAL_MODE: '1' };

const descriptionOf = (name: string) =>
  (Environment.properties as Record<string, { description?: string }>)[name]?.description ?? '';

function problemsOf(environment: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test('readConfig has a default for every variable that is not required', (t) => {
  const config = readConfig(live);
  t.is(config.settings.appMode, 'live');
  t.false(config.settings.localMode);
  t.deepEqual([config.host, config.port, config.trustedProxyHops, config.databasePoolMax], ['0.0.0.0', 3000, 0, 5]);
  t.is(config.settings.publicUrl, 'https://api.cedar.example');
  t.is(config.settings.rateLimitScale, 1);
  t.is(config.logLevel, 'info');
  t.is(config.embeddings, undefined);
  t.deepEqual(config.settings.webhookRetryScheduleMs.slice(0, 3), [0, 5000, 300_000]);
  t.is(config.settings.webhookRetryScheduleMs.length, 10);
  t.deepEqual(
    config.encryptionKeys.map(([id, key]) => [id, key.length]),
    [
      ['k2', 32],
      ['k1', 32],
    ],
  );
  t.is(config.settings.keyPepper.length, 32);
  t.deepEqual(config.ops, { user: 'ops', password: 'hush-ops-password' });
});

test('the configuration cannot be changed', (t) => {
  const config = readConfig(live);
  t.true(Object.isFrozen(config) && Object.isFrozen(config.settings));
});

test('readConfig reads every variable', (t) => {
  const config = readConfig({
    ...local,
    HOST: '0.0.0.0',
    PORT: '4000',
    PUBLIC_URL: 'http://shop.test/',
    TRUSTED_PROXY_HOPS: '2',
    DATABASE_READ_URL: 'postgres://replica.example/shop',
    DATABASE_POOL_MAX: '9',
    METRICS_TOKEN: 'hush-metrics-token',
    OPS_USER: 'ops',
    OPS_PASSWORD: 'hush-ops-password',
    STRIPE_API_BASE: 'http://127.0.0.1:1',
    SHIPPO_API_BASE: 'http://127.0.0.1:2',
    EMBEDDINGS_URL: 'http://127.0.0.1:3',
    EMBEDDINGS_KEY: 'hush-embeddings',
    EMBEDDINGS_MODEL: 'small',
    WORKER_CONCURRENCY_PAYMENTS: '7',
    RATE_LIMIT_SCALE: '2.5',
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    WEBHOOK_RETRY_SCHEDULE: '0s,1s',
    LABEL_RETRY_SCHEDULE: '0s,2s',
    LABEL_LOOKUP_GRACE: '3s',
    LABEL_BUY_TIMEOUT: '4s',
    BREAKER_OPEN: '5s',
    PAYMENT_POLL_SCHEDULE: '6s',
    SWEEP_INTERVAL: '7s',
  });
  t.is(config.host, '127.0.0.1', 'local mode listens to its own machine alone');
  t.deepEqual([config.port, config.trustedProxyHops, config.databasePoolMax], [4000, 2, 9]);
  t.is(config.settings.publicUrl, 'http://shop.test');
  t.is(config.databaseReadUrl, 'postgres://replica.example/shop');
  t.is(config.metricsToken, 'hush-metrics-token');
  t.is(config.stripeApiBase, 'http://127.0.0.1:1');
  t.is(config.shippoApiBase, 'http://127.0.0.1:2');
  t.deepEqual(config.embeddings, { url: 'http://127.0.0.1:3', key: 'hush-embeddings', model: 'small' });
  t.is(config.concurrency.payments, 7);
  t.is(config.settings.rateLimitScale, 2.5);
  t.is(config.logLevel, 'debug');
  t.deepEqual(config.tracing, { endpoint: 'http://127.0.0.1:4318', share: 1 });
  t.deepEqual(config.settings.webhookRetryScheduleMs, [0, 1000]);
  t.deepEqual(config.settings.labelRetryScheduleMs, [0, 2000]);
  t.deepEqual(config.settings.paymentPollScheduleMs, [6000]);
  t.deepEqual(
    [
      config.settings.labelLookupGraceMs,
      config.settings.labelBuyTimeoutMs,
      config.settings.breakerOpenMs,
      config.settings.sweepIntervalMs,
    ],
    [3000, 4000, 5000, 7000],
  );
});

test('readConfig ignores empty variables', (t) => {
  t.is(readConfig({ ...live, PORT: '', LOG_LEVEL: '', DATABASE_READ_URL: '' }).port, 3000);
  t.deepEqual(problemsOf({ ...live, KEY_PEPPER: '' }), [
    'KEY_PEPPER is required, such as $(openssl rand -base64 32). Base64 of 32 bytes, or 64 hexadecimal digits: ' +
      'the secret for hashing API keys and tokens.',
  ]);
});

test('readConfig ignores white space around a value', (t) => {
  const padded = Object.fromEntries(Object.entries(live).map(([name, value]) => [name, ` ${value}\n`]));
  t.deepEqual(readConfig(padded), readConfig(live));
  t.is(readDatabaseUrl(padded), live.DATABASE_URL);
});

test('readConfig reports every problem at once', (t) => {
  const problems = problemsOf({});
  for (const name of [
    'APP_MODE',
    'DATABASE_URL',
    'REDIS_URL',
    'ENCRYPTION_KEYS',
    'KEY_PEPPER',
    'SMTP_URL',
    'MAIL_FROM',
  ]) {
    t.true(
      problems.some((problem) => problem.startsWith(`${name} is required, such as `)),
      name,
    );
  }
  for (const name of ['PUBLIC_URL', 'OPS_USER', 'OPS_PASSWORD'])
    t.true(
      problems.some((problem) => problem.startsWith(`${name} is required outside local mode`)),
      name,
    );
  const variables = problems.map((problem) => problem.split(' ')[0]);
  t.is(new Set(variables).size, variables.length, 'each variable once');
});

test('readConfig rejects an invalid value of every variable by its name', (t) => {
  const wrong: Record<string, string> = {
    APP_MODE: 'production',
    LOCAL_MODE: 'yes',
    PORT: '70000',
    PUBLIC_URL: 'api.cedar.example',
    TRUSTED_PROXY_HOPS: '-1',
    HEROKU_APP_DEFAULT_DOMAIN_NAME: 'not a domain',
    DATABASE_URL: 'mysql://db',
    DATABASE_READ_URL: 'db',
    DATABASE_POOL_MAX: '0',
    REDIS_URL: 'http://redis',
    ENCRYPTION_KEYS: 'k1:short',
    KEY_PEPPER: 'short',
    OPS_PASSWORD: 'short',
    METRICS_TOKEN: 'short',
    SMTP_URL: 'mail.example',
    MAIL_FROM: 'x',
    STRIPE_API_BASE: 'stripe',
    SHIPPO_API_BASE: 'shippo',
    EMBEDDINGS_URL: 'ai',
    RATE_LIMIT_SCALE: '0',
    LOG_LEVEL: 'loud',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'otel',
    OTEL_TRACES_SAMPLER_ARG: '2',
    WEBHOOK_RETRY_SCHEDULE: 'soon',
    LABEL_RETRY_SCHEDULE: '1s,',
    LABEL_LOOKUP_GRACE: '1',
    LABEL_BUY_TIMEOUT: '1w',
    BREAKER_OPEN: 'x',
    PAYMENT_POLL_SCHEDULE: 's',
    SWEEP_INTERVAL: '-1s',
    ...Object.fromEntries(queueNames.map((queue) => [concurrencyVariable(queue), '0'])),
  };
  const problems = Object.entries(wrong).map(([name, value]) => problemsOf({ ...live, ...local, [name]: value }));
  for (const [index, name] of Object.keys(wrong).entries()) {
    t.is(problems[index]?.length, 1, `${name}: ${problems[index]?.join('; ')}`);
    t.true(problems[index]?.[0]?.startsWith(`${name} `), name);
    t.true(problems[index]?.[0]?.endsWith(`. ${descriptionOf(name)}`), `${name} says what it is for`);
  }
  const free = ['HOST', 'DYNO', 'OPS_USER', 'EMBEDDINGS_KEY', 'EMBEDDINGS_MODEL'];
  t.deepEqual(
    Object.keys(Environment.properties).filter((name) => !(name in wrong) && !free.includes(name)),
    [],
  );
});

test('a numeric variable is written in decimal digits', (t) => {
  const numeric = Object.entries(Environment.properties)
    .filter(([, schema]) => 'minimum' in schema || 'exclusiveMinimum' in schema)
    .map(([name]) => name);
  t.true(numeric.includes('PORT') && numeric.includes('RATE_LIMIT_SCALE'));
  for (const name of numeric)
    t.deepEqual(
      problemsOf({ ...live, [name]: '0x1' }),
      [`${name} must be a decimal number of at most 50 characters, not "0x1". ${descriptionOf(name)}`],
      name,
    );
});

test('a problem shows the given value unless it is a secret', (t) => {
  t.deepEqual(problemsOf({ ...local, LOG_LEVEL: 'loud' }), [
    'LOG_LEVEL must be one of debug, info, warn, error, silent, not "loud". Minimum log level.',
  ]);
  const secrets = Object.entries(Environment.properties)
    .filter(([, schema]) => (schema as { writeOnly?: boolean }).writeOnly)
    .map(([name]) => name);
  t.deepEqual(secrets, [
    'DATABASE_URL',
    'DATABASE_READ_URL',
    'REDIS_URL',
    'ENCRYPTION_KEYS',
    'KEY_PEPPER',
    'OPS_PASSWORD',
    'METRICS_TOKEN',
    'SMTP_URL',
    'STRIPE_API_BASE',
    'SHIPPO_API_BASE',
    'EMBEDDINGS_URL',
    'EMBEDDINGS_KEY',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ]);
  const error = t.throws(() => readConfig(Object.fromEntries(secrets.map((name) => [name, 'hush-hush']))), {
    instanceOf: ConfigError,
  });
  t.true(error.problems.length > 10);
  t.false(error.message.includes('hush-hush'));
});

test('the message lists each problem on a line of its own', (t) => {
  const error = t.throws(() => readConfig({ ...live, PORT: 'x', KEY_PEPPER: 'x' }), { instanceOf: ConfigError });
  t.is(error.message.split('\n').length, 3);
});

test('outside local mode, PUBLIC_URL must be https and /ops needs a password', (t) => {
  const publicUrl =
    'The public URL of this service, without a path. In local mode it defaults to the URL it listens on.';
  for (const mode of ['test', 'live']) {
    const environment = { ...live, APP_MODE: mode };
    t.deepEqual(problemsOf(environment), []);
    t.deepEqual(problemsOf({ ...environment, PUBLIC_URL: 'http://api.cedar.example' }), [
      `PUBLIC_URL must be https outside local mode, not "http://api.cedar.example". ${publicUrl}`,
    ]);
    t.deepEqual(problemsOf({ ...environment, PUBLIC_URL: undefined }), [
      `PUBLIC_URL is required outside local mode, such as https://api.cedar.example. ${publicUrl}`,
    ]);
    t.deepEqual(problemsOf({ ...environment, OPS_USER: undefined, OPS_PASSWORD: undefined }), [
      'OPS_USER is required outside local mode. The user name for /ops.',
      'OPS_PASSWORD is required outside local mode. The password of OPS_USER. At least 12 characters.',
    ]);
    t.deepEqual(problemsOf({ ...environment, OPS_USER: undefined }), [
      'OPS_USER is required outside local mode. The user name for /ops.',
    ]);
  }
});

test('OPS_USER and OPS_PASSWORD require each other, also in local mode', (t) => {
  t.deepEqual(problemsOf({ ...local, OPS_USER: 'ops' }), [
    'OPS_PASSWORD is required with OPS_USER. The password of OPS_USER. At least 12 characters.',
  ]);
  t.deepEqual(problemsOf({ ...local, OPS_PASSWORD: 'hush-ops-password' }), [
    'OPS_USER is required with OPS_PASSWORD. The user name for /ops.',
  ]);
  t.deepEqual(problemsOf(local), []);
});

test('local mode is rejected in the live environment', (t) => {
  t.regex(
    problemsOf({ ...local, APP_MODE: 'live' }).join('\n'),
    /^LOCAL_MODE must be 0 with APP_MODE=live, not "1"\. For/,
  );
});

test('PUBLIC_URL has no path, because the console and /ops are at the root, and no query or fragment', (t) => {
  for (const url of [
    'https://api.cedar.example/shop',
    'https://api.cedar.example/shop/',
    'https://api.cedar.example?a=1',
    'https://api.cedar.example/?a=1',
    'https://api.cedar.example/#',
  ])
    t.regex(
      problemsOf({ ...live, PUBLIC_URL: url }).join('\n'),
      /^PUBLIC_URL must be written like https:[^ ]+, not "h/,
    );
  t.deepEqual(problemsOf({ ...live, PUBLIC_URL: 'https://api.cedar.example:8443/' }), []);
});

test('PUBLIC_URL has no user and no password, which emails and webhooks would show', (t) => {
  for (const url of ['https://ada:s3cret@api.cedar.example', 'https://s3cret@api.cedar.example/'])
    t.regex(
      problemsOf({ ...live, PUBLIC_URL: url }).join('\n'),
      /^PUBLIC_URL must not contain a user or password, not "https:\/\/…@api\.cedar\.example[^@]+$/,
    );
  // Nor does the message show them where it is no URL, or not written like one.
  for (const url of ['https://ada:s3/cret@api.cedar.example', 'https:/ada:s3cret@api.cedar.example', 'ada:s3cret@api'])
    t.regex(problemsOf({ ...live, PUBLIC_URL: url }).join('\n'), /^PUBLIC_URL must (?!.*cret).*…@api/);
});

test('MAIL_FROM that is no email is reported once, with its value', (t) => {
  for (const value of ['none', 'x', 'Cedar <none>'])
    t.deepEqual(
      problemsOf({ ...live, MAIL_FROM: value }).map((problem) => problem.replace(/^.*(?=, not )/, '')),
      [`, not "${value}". The default sender of emails, for stores without their own.`],
    );
});

test('URLs of providers must be https, or on this machine', (t) => {
  for (const name of ['STRIPE_API_BASE', 'SHIPPO_API_BASE', 'EMBEDDINGS_URL']) {
    t.deepEqual(problemsOf({ ...live, [name]: 'http://10.0.0.1' }), [
      `${name} must be an https or loopback URL outside local mode. ${descriptionOf(name)}`,
    ]);
    t.deepEqual(problemsOf({ ...live, [name]: 'https://proxy.example' }), []);
    t.deepEqual(problemsOf({ ...live, [name]: 'http://127.0.0.1:1234' }), []);
    t.deepEqual(problemsOf({ ...local, [name]: 'http://10.0.0.1' }), []);
  }
});

test('schedules may be changed in local mode only', (t) => {
  t.deepEqual(problemsOf({ ...live, WEBHOOK_RETRY_SCHEDULE: '0s,1s', SWEEP_INTERVAL: '1s' }), [
    'WEBHOOK_RETRY_SCHEDULE must be 0s,5s,5m,30m,2h,5h,10h,14h,20h,24h outside local mode, not "0s,1s". ' +
      descriptionOf('WEBHOOK_RETRY_SCHEDULE'),
    `SWEEP_INTERVAL must be 5m outside local mode, not "1s". ${descriptionOf('SWEEP_INTERVAL')}`,
  ]);
  t.deepEqual(problemsOf({ ...live, SWEEP_INTERVAL: '5m' }), [], 'the default may be said');
});

test('on Heroku one proxy is trusted by default', (t) => {
  t.is(readConfig({ ...live, DYNO: 'web.1' }).trustedProxyHops, 1);
  t.is(readConfig({ ...live, DYNO: 'web.1', TRUSTED_PROXY_HOPS: '2' }).trustedProxyHops, 2);
});

test('a process with an invalid environment reports every problem and ends with code 1', async (t) => {
  for (const entry of ['src/server.ts', 'workers/all.ts']) {
    const { code, out, err } = await runEntry(entry, [], { ...local, KEY_PEPPER: 'hush', PORT: 'hush' });
    t.deepEqual([code, out], [1, ''], entry);
    t.deepEqual(err.split('\n'), [
      'The environment is not fit to start with:',
      '  PORT must be a whole number, not "hush". The port of the web process.',
      '  KEY_PEPPER must be written like $(openssl rand -base64 32). Base64 of 32 bytes, or 64 hexadecimal digits: ' +
        'the secret for hashing API keys and tokens.',
      '',
    ]);
  }
});

test('a URL whose password must be percent-encoded is reported with the remedy and without its value', (t) => {
  const urls: Record<string, readonly string[]> = {
    DATABASE_URL: [
      'postgres://a:hush#w@h/x',
      'postgres://a:1/hush@h/x',
      'postgres://a:1?hush@h/x',
      'postgres://a:50%hush@h/x',
      'postgres://a:hush@h/x%C3',
    ],
    DATABASE_READ_URL: ['postgres://a:hush#w@h/x'],
    REDIS_URL: ['redis://:hush#w@h:6379', 'rediss://a:50%hush@h', 'redis://h:6379,redis://:hush#@h2:6379'],
    SMTP_URL: ['smtp://a:hush#w@h:25', 'smtps://a:hush/w@h'],
  };
  for (const [name, values] of Object.entries(urls)) {
    for (const value of values) {
      t.deepEqual(problemsOf({ ...live, [name]: value }), [
        `${name} cannot be read: percent-encode special characters (# is %23), and check host and port. ` +
          descriptionOf(name),
      ]);
    }
  }
  t.throws(() => readDatabaseUrl({ DATABASE_URL: 'postgres://a:hush#w@h/x' }), { instanceOf: ConfigError });
  t.deepEqual(problemsOf({ ...live, STRIPE_API_BASE: 'https://' }), [
    `STRIPE_API_BASE must be a URL. ${descriptionOf('STRIPE_API_BASE')}`,
  ]);
});

test('a URL of Redis that names a database by a word is rejected with how it is named', (t) => {
  for (const url of ['redis://h:6379/shop', 'redis://:hush@h/0x1', 'redis://h/1/2', 'redis://h1:6379,redis://h2/a'])
    t.deepEqual(
      problemsOf({ ...live, REDIS_URL: url }),
      [
        'REDIS_URL must name its database by a number, as in redis://host:6379/3, or none. ' +
          descriptionOf('REDIS_URL'),
      ],
      url,
    );
  for (const url of ['redis://h/', 'redis://h/12', 'redis://h/3?family=6', 'redis://h1:6379/,h2:6379'])
    t.deepEqual(problemsOf({ ...live, REDIS_URL: url }), [], url);
});

test('a URL of PostgreSQL that names several hosts is rejected with what to name instead', (t) => {
  const [one, several] = [
    ['h:5432/x', 'h/x?application_name=a,b', '[::1]:5432/x', '/x?host=/run/postgresql'],
    ['h1:5432,h2:5433/x', 'h1,h2/x', 'h1,h2:5432', 'h1,h2?sslmode=disable', '/x?host=h1,h2', '/x?host=h1%2Ch2'],
  ];
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL']) {
    for (const place of several)
      t.deepEqual(
        problemsOf({ ...live, [name]: `postgres://a,b:hush,hush@${place}` }),
        [`${name} must name one host, such as a DNS name or a proxy that leads to the primary. ${descriptionOf(name)}`],
        place,
      );
    for (const place of one) t.deepEqual(problemsOf({ ...live, [name]: `postgres://a,b:c,d@${place}` }), [], place);
  }
});

test('a URL that names a file that cannot be read is reported with the file', (t) => {
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL']) {
    for (const parameter of ['sslrootcert', 'sslcert', 'sslkey']) {
      t.deepEqual(problemsOf({ ...live, [name]: `postgres://a:hush@h/x?${parameter}=/none.pem` }), [
        `${name} names a file that cannot be read (ENOENT: no such file or directory, open '/none.pem'). ` +
          descriptionOf(name),
      ]);
    }
  }
});

test('DATABASE_URL and REDIS_URL accept every form that the drivers accept', (t) => {
  for (const fit of [
    { DATABASE_URL: 'postgres://r%C3%B4le:p%40%2Fs%23s,w@h:5433/50%?sslmode=disable' },
    { DATABASE_URL: 'postgres://u:p@/shop?host=/var/run/postgresql' },
    { DATABASE_URL: 'postgres:///shop' },
    { REDIS_URL: 'redis://:p@h1:6379, redis://h2:6379,h3:6380' },
    { REDIS_URL: 'rediss://default:p%23@[::1]:6379/3?family=6' },
    { SMTP_URL: 'smtps://ada%40cedar.example:p@mail.example:465' },
  ]) {
    t.deepEqual(problemsOf({ ...live, ...fit }), [], JSON.stringify(fit));
  }
});

test('readConfig rejects keys that have the same id, without repeating a key', (t) => {
  const [first, second] = [base64(32), base64(32)];
  const problemsOfKeys = (ENCRYPTION_KEYS: string) => problemsOf({ ...live, ENCRYPTION_KEYS });
  const hex = randomBytes(32).toString('hex');
  for (const keys of [`k1:${second},k1:${first}`, `k2:${first},k1:${second},k1:${first}`, `k1:${first},k1:${first}`]) {
    const problems = problemsOfKeys(keys);
    t.is(problems.length, 1);
    t.regex(
      problems[0] ?? '',
      /^ENCRYPTION_KEYS has several keys with the id k1: .* such as \$\(date \+%F\):\$\(openssl rand -base64 32\)/,
    );
    t.false(problems[0]?.includes(first));
  }
  t.is(problemsOfKeys(`${hex},${hex}`).length, 1);
  t.deepEqual(problemsOfKeys(`k2:${first},k1:${first}`), [], 'a key may be listed under its next id, too');
});

test('a process that cannot open its database reports cause and remedy in one line, and exits with 1', async (t) => {
  const given = givenByRunner('TEST_DATABASE_URL');
  const changed = (change: (url: URL) => unknown) => {
    const url = new URL(given);
    change(url);
    return url.href;
  };
  for (const [url, said] of [
    [
      'postgres://nobody@127.0.0.1:1/none',
      /^PostgreSQL does not respond at DATABASE_URL: .*ECONNREFUSED.*\. Check .*\n$/,
    ],
    [
      changed((url) => (url.password = 'wrong')),
      /DATABASE_URL failed: password authentication failed .*\. Correct .*\n$/,
    ],
    [changed((url) => (url.pathname = '/none')), /DATABASE_URL failed: database "none" does not exist\. Create .*\n$/],
    [changed((url) => url.searchParams.set('sslmode', 'require')), /does not support SSL connections\. Turn TLS .*\n$/],
  ] as const) {
    const { code, err } = await runEntry('src/server.ts', [], { ...local, DATABASE_URL: url });
    t.is(code, 1);
    t.regex(err, said);
    t.is(err.split('\n').length, 2, err);
  }
});

test('a web process that cannot listen reports PORT or HOST in one line, and ends with code 1', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const { url, drop } = await createTestDatabase();
  t.teardown(drop);
  const free = 'free the port, or set another';
  const own = 'set an IP address of this machine';
  for (const [given, said] of [
    [{ HOST: '127.0.0.1', PORT: String(port) }, `PORT cannot be used \\(listen EADDRINUSE: .*\\): ${free}`],
    [{ HOST: 'no host' }, `HOST cannot be used \\(getaddrinfo E\\w+ no host\\): ${own}`],
    [{ HOST: '127.0.0.1:3000' }, `HOST cannot be used \\(getaddrinfo E.*\\): ${own}`],
    [{ HOST: '192.0.2.1' }, `HOST cannot be used \\(listen EADDRNOTAVAIL: .*\\): ${own}`],
  ] as const) {
    const { code, err } = await runEntry('src/server.ts', [], { ...live, PORT: '0', DATABASE_URL: url, ...given });
    t.is(code, 1);
    t.regex(err, new RegExp(`^The environment is not fit to start with:\n  ${said}\n$`));
  }
});

test('the release phase requires DATABASE_URL only', (t) => {
  t.is(readDatabaseUrl({ DATABASE_URL: live.DATABASE_URL }), live.DATABASE_URL);
  const missing = t.throws(() => readDatabaseUrl({}), { instanceOf: ConfigError });
  t.regex(missing.problems.join(), /^DATABASE_URL is required, such as postgres:/);
  t.false(t.throws(() => readDatabaseUrl({ DATABASE_URL: 'hush' })).message.includes('hush'));
});

test('readConfig rejects a key or pepper of other than 32 bytes, in any place', (t) => {
  const hex = randomBytes(32).toString('hex');
  for (const wrong of [base64(31), base64(33), '='.repeat(44), hex.slice(1), `${hex}0`]) {
    t.is(problemsOf({ ...live, KEY_PEPPER: wrong }).length, 1, wrong);
    for (const keys of [`k1:${wrong}`, `k2:${base64(32)},k1:${wrong}`]) {
      t.is(problemsOf({ ...live, ENCRYPTION_KEYS: keys }).length, 1, keys);
    }
  }
});

test('readConfig accepts keys of 64 hexadecimal digits, and gives one without an id the same id in any place', (t) => {
  const [old, next] = [randomBytes(32), randomBytes(32)];
  const keysOf = (ENCRYPTION_KEYS: string) => readConfig({ ...live, ENCRYPTION_KEYS }).encryptionKeys;
  const [first] = keysOf(old.toString('hex'));
  t.deepEqual(first?.[1], old);
  t.regex(first?.[0] ?? '', /^[0-9a-f]{8}$/);
  t.deepEqual(keysOf(`k2:${next.toString('base64')},${old.toString('hex')}`), [['k2', next], first] as never);
  t.deepEqual(readConfig({ ...live, KEY_PEPPER: old.toString('hex') }).settings.keyPepper, old);
});
