import { transact } from '#src/database/transact.ts';
import { recordAudit } from '#src/domain/audit/index.ts';
import type { InTransaction } from '#src/domain/context.ts';
import {
  type ApiKey,
  findKey,
  issueKey,
  KeyInput,
  listKeys,
  presentKey,
  revokeKey,
} from '#src/domain/tenants/index.ts';
import { table } from './lib/columns.ts';
import { defineCommand, Failure } from './lib/command.ts';
import { readAll } from './lib/read-all.ts';
import { readInput, readList, readNumber } from './lib/read-option.ts';
import { withStore } from './lib/with-services.ts';

const headings = ['NAME', 'KIND', 'KEY', 'STATE', 'SCOPES'];

export const listKeysCommand = defineCommand({
  name: 'keys list',
  summary: 'List the API keys of a store. Their values are stored as hashes only and cannot be shown.',
  parameters: { slug: 'The slug of the store.' },
  async run({ parameters, terminal }) {
    return withStore(terminal, parameters.slug, async (ctx) => {
      const rows = await readAll((page) => listKeys(ctx, page));
      const now = ctx.clock.now();
      const cells = rows.map((key) => [key.name, key.kind, key.hint, stateOf(key, now), key.scopes.join(',')]);
      return {
        data: { keys: rows.map(presentKey) },
        lines: table(headings, cells, 'The store has no keys.'),
      };
    });
  },
});

export const createKeyCommand = defineCommand({
  name: 'keys create',
  summary: 'Create an API key. Its value is printed only once.',
  parameters: { slug: 'The slug of the store.', name: 'The name of the key.' },
  options: {
    kind: {
      type: 'string',
      value: 'secret|publishable',
      description: 'Required. A publishable key may be embedded in public pages; a secret one is for servers.',
    },
    scopes: {
      type: 'string',
      value: 'a,b,c',
      description: 'Required. What the key may do: products:read, cart:write …',
    },
    'expires-at': {
      type: 'string',
      value: 'time',
      description: 'When it expires, such as 2027-01-01T00:00:00Z. Default: never.',
    },
    'requests-per-minute': {
      type: 'string',
      value: 'number',
      description: 'Rate limit of the key. Default: 6,000 for a secret key.',
    },
  },
  async run({ parameters, options, terminal }) {
    const {
      expires_at: expiresAt,
      requests_per_minute: requestsPerMinute,
      ...key
    } = readInput(
      'keys create',
      KeyInput,
      {
        name: parameters.name,
        kind: options.kind,
        scopes: readList(options.scopes),
        expires_at: options['expires-at'] ?? null,
        requests_per_minute: readNumber(options['requests-per-minute']) ?? null,
      },
      parameters,
    );
    const issued = await withStore(terminal, parameters.slug, async (ctx, services) => {
      await services.proveSecrets();
      return transact(ctx, async (ctx) => {
        const issued = await issueKey(ctx, {
          ...key,
          expiresAt: expiresAt ? new Date(expiresAt) : null,
          requestsPerMinute,
        });
        await writeDown(ctx, 'key.created', issued.key);
        return issued;
      });
    });
    return {
      data: { key: presentKey(issued.key), value: issued.value },
      lines: [issued.value, `This is the key "${key.name}" of ${parameters.slug}. It is not shown again.`],
    };
  },
});

export const revokeKeyCommand = defineCommand({
  name: 'keys revoke',
  summary: 'Revoke an API key. Takes effect everywhere within five seconds.',
  parameters: { slug: 'The slug of the store.', key: 'The name or id of the key.' },
  async run({ parameters, terminal }) {
    const key = await withStore(terminal, parameters.slug, async (ctx) => {
      const named = await findKey(ctx, parameters.key);
      if (!named) throw new Failure(`${parameters.slug} has no live key "${parameters.key}".`);
      return transact(ctx, async (ctx) => {
        const key = await revokeKey(ctx, named);
        await writeDown(ctx, 'key.revoked', key);
        return key;
      });
    });
    return { data: { key: presentKey(key) }, lines: [`The key "${key.name}" (${key.hint}) is revoked.`] };
  },
});

function writeDown(ctx: InTransaction, action: string, key: ApiKey): Promise<void> {
  return recordAudit(ctx, { action, subjectKind: 'key', subjectId: key.id, after: presentKey(key) });
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: Date): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'live';
  return `${expiresAt <= now ? 'expired' : 'until'} ${expiresAt.toISOString()}`;
}
