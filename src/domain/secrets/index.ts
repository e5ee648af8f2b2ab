export { inspectSecrets, type KeyUse } from './inspect-secrets.ts';
export { rewrapSecrets } from './rewrap-secrets.ts';
