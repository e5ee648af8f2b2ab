import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

import test from 'ava';

import { readConfig } from '#src/config.ts';
import { Environment } from '#src/environment.ts';
import { type TSchema, Type } from '#src/lib/schema.ts';
import { issuesOf } from '#src/lib/validation.ts';

/* The manifest of Heroku's button and of its review apps. */
const root = new URL('../../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('app.json', root), 'utf8'));
const procfile = readFileSync(new URL('Procfile', root), 'utf8');

const closed = { additionalProperties: false };
const byName = (value: TSchema) => Type.Record(Type.String(), value);

/** What Heroku's "app.json Schema" allows, of which this is the part without images, logos and links. */
const parts = {
  addons: Type.Optional(
    Type.Array(
      Type.Object({ plan: Type.String({ pattern: '^[a-z-]+:[a-z0-9-]+$' }), as: Type.Optional(Type.String()) }, closed),
    ),
  ),
  buildpacks: Type.Optional(Type.Array(Type.Object({ url: Type.String() }, closed))),
  env: Type.Optional(
    byName(
      Type.Object(
        {
          description: Type.Optional(Type.String()),
          value: Type.Optional(Type.String()),
          generator: Type.Optional(Type.Literal('secret')),
          required: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
  ),
  formation: Type.Optional(
    byName(Type.Object({ quantity: Type.Integer({ minimum: 0 }), size: Type.Optional(Type.String()) }, closed)),
  ),
  scripts: Type.Optional(byName(Type.String())),
};
const Manifest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 30 }),
    description: Type.String(),
    keywords: Type.Array(Type.String()),
    stack: Type.Enum(['heroku-22', 'heroku-24', 'container']),
    ...parts,
    environments: Type.Object({ review: Type.Object(parts, closed) }, closed),
  },
  closed,
);

test('app.json has the fields that Heroku knows, of their types', (t) => {
  t.deepEqual(issuesOf(Manifest, manifest), []);
});

test('app.json starts processes of the Procfile', (t) => {
  for (const { formation } of [manifest, ...Object.values<any>(manifest.environments)])
    for (const name of Object.keys(formation)) t.regex(procfile, new RegExp(`^${name}: `, 'm'));
});

for (const [what, overrides, answers] of [
  ['an application', {}, { PUBLIC_URL: 'https://api.cedar.example' }],
  [
    'a review app',
    manifest.environments.review.env,
    { HEROKU_APP_DEFAULT_DOMAIN_NAME: 'shop-pr-7-0a1b.herokuapp.com' },
  ],
] as const) {
  test(`${what} starts with what app.json sets and generates, the add-ons, and what the user enters`, (t) => {
    const variables = Object.entries<any>({ ...manifest.env, ...overrides });
    const given = variables.flatMap(([name, { value, generator }]) => {
      if (value) return [[name, value]];
      return generator ? [[name, randomBytes(32).toString('hex')]] : [];
    });
    const entered = { SMTP_URL: 'smtps://user:password@smtp.example:465', MAIL_FROM: 'Cedar <hello@cedar.example>' };
    const addOns = { DATABASE_URL: 'postgres://u:p@db.example/shop', REDIS_URL: 'rediss://:p@redis.example:6379' };
    const unknown = variables.map(([name]) => name).filter((name) => !(name in Environment.properties));
    t.deepEqual(unknown, ['PGSSLMODE']);

    const { settings } = readConfig({ ...Object.fromEntries(given), ...entered, ...addOns, ...answers, DYNO: 'web.1' });
    t.regex(settings.publicUrl, /^https:\/\/(api\.cedar\.example|shop-pr-7-0a1b\.herokuapp\.com)$/);
    t.is(settings.keyPepper.length, 32);
  });
}
