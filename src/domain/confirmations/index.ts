export {
  Confirmation,
  type Credentials,
  type CredentialsChange,
  changeCredentials,
  replacedBy,
  requestConfirmation,
} from './change-credentials.ts';
export { requestCode } from './request-code.ts';
export { pruneCodes } from './retention.ts';
export { useCode } from './use-code.ts';
