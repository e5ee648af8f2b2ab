import { Type } from '#src/lib/schema.ts';

/** A third party's name, as it stands in the address that it calls. */
export const IntegrationProvider = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 50,
  examples: ['bookkeeper'],
});
