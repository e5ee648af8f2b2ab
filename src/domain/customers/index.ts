export type { Customer } from './customer.ts';
export { customerIdOf, paymentCustomerIdOf } from './customer-of.ts';
export { findCustomer, findCustomerByEmail } from './find-customer.ts';
export { listCustomers } from './list-customers.ts';
export { normaliseEmail } from './normalise-email.ts';
export { customerPersonalData } from './personal-data.ts';
export { CustomerView, KnownCustomerView, presentCustomer, presentKnownCustomer } from './present.ts';
export { upsertCustomer } from './remember-customer.ts';
export { linkPaymentCustomer, unlinkPaymentCustomer } from './remember-payment-customer.ts';
