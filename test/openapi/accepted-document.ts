import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { OpenApiDocument } from '#src/api/openapi/document.ts';
import { openApiDocument } from '#src/api/openapi/openapi-document.ts';
import { routes } from '#src/api/routes.ts';

/** The version of the API document that callers know. `npm run api-changes -- --accept` writes it. */
export const acceptedPath = fileURLToPath(new URL('./accepted-document.json', import.meta.url));

export const readAccepted = (): OpenApiDocument => JSON.parse(readFileSync(acceptedPath, 'utf8'));

/** The document of this code. */
export function currentDocument(): OpenApiDocument {
  return JSON.parse(JSON.stringify(openApiDocument(routes, { publicUrl: 'https://commerce.example.com' })));
}

export const readChangelog = () => readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
