import { readFileSync } from 'node:fs';

import test from 'ava';

import { openApiDocument } from '#src/api/openapi/openapi-document.ts';
import { routes } from '#src/api/routes.ts';
import { generate } from '#src/client/generate/generate.ts';

test('the types and methods of the client are those of the API document', async (t) => {
  const document = openApiDocument(routes, { publicUrl: 'http://127.0.0.1:3000' });
  const files = await generate(JSON.parse(JSON.stringify(document)));
  for (const [name, text] of Object.entries(files)) {
    const committed = readFileSync(new URL(`../../src/client/src/generated/${name}`, import.meta.url), 'utf8');
    t.true(committed === text, `${name} is out of date: npm run client:types`);
  }
  t.true(Object.values(files).join('').split('\n').length <= 40 * routes.length);
});
