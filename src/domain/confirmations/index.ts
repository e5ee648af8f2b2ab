export {
  changeCredentials, Confirmation, type Credentials, type CredentialsChange, replacedBy, requestConfirmation,
} from './change-credentials.ts';
export { pruneCodes } from './retention.ts';
export { requestCode } from './request-code.ts';
export { useCode } from './use-code.ts';
