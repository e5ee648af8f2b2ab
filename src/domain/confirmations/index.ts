export {
  Confirmation,
  type Credentials,
  type CredentialsChange,
  changeCredentials,
  openCredential,
  replacedBy,
  requestConfirmation,
} from './change-credentials.ts';
export { OneTimeCode, oneTimeCodePattern, requestCode, useCode, useNewestCode } from './one-time-password.ts';
