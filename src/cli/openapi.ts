import { defineCommand } from './lib/command.ts';

const defaultUrl = 'http://127.0.0.1:3000';

/** Needs no service, and PUBLIC_URL only to name the server. No other command loads the routes. */
export const openApiCommand = defineCommand({
  name: 'openapi',
  summary: 'Print the OpenAPI document of the HTTP API.',
  options: {
    url: { type: 'string', value: 'url', description: 'The URL of the service. Default: PUBLIC_URL.' },
  },
  async run({ options, terminal }) {
    const [{ routes }, { openApiDocument }] = await Promise.all([
      import('#src/api/routes.ts'),
      import('#src/api/openapi/openapi-document.ts'),
    ]);
    const publicUrl = (options.url ?? terminal.environment['PUBLIC_URL'] ?? defaultUrl).replace(/\/$/, '');
    const data = openApiDocument(routes, { publicUrl });
    return { data, lines: [JSON.stringify(data, null, 2)] };
  },
});
