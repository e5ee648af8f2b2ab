import { type ApiDocument, isAdmin, parametersOf, transfersFile } from './document.ts';
import { methodsFile } from './methods.ts';
import { typesOf } from './types.ts';

const head = '// Generated from the API document by `npm run client:types`. Do not edit.\n\n';

/** The files of src/generated, by name. */
export async function generate(document: ApiDocument): Promise<Record<string, string>> {
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        path,
        method,
        given: parametersOf(document, operation),
      })),
    )
    // Only other systems call back, never a storefront.
    .filter(({ tags }) => !tags.includes('integrations'))
    .filter((operation) => !transfersFile(operation));
  return {
    'api.ts': head + (await typesOf(document)),
    'storefront.ts':
      head +
      methodsFile(
        'Storefront',
        operations.filter((operation) => !isAdmin(operation)),
      ),
    'admin.ts': head + methodsFile('Admin', operations.filter(isAdmin)),
  };
}
