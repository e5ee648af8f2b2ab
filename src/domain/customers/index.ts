export {
  type Customer,
  CustomerView,
  KnownCustomerView,
  normaliseEmail,
  presentCustomer,
  presentKnownCustomer,
} from './customer.ts';
export {
  customerIdOf,
  findCustomer,
  findCustomerByEmail,
  listCustomers,
  paymentCustomerIdOf,
} from './find-customers.ts';
export { customerPersonalData } from './personal-data.ts';
export { linkPaymentCustomer, unlinkPaymentCustomer, upsertCustomer } from './save-customer.ts';
