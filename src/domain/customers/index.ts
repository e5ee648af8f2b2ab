export {
  type Customer,
  checkoutSubjectOf,
  customerIdOf,
  customersNamed,
  findCustomer,
  findCustomerByEmail,
  linkPaymentCustomer,
  listCustomers,
  paymentCustomerIdOf,
  unlinkPaymentCustomer,
  upsertCustomer,
} from './customers.ts';
export { customerPersonalData } from './personal-data.ts';
export {
  CustomerView,
  ErasedCustomerView,
  KnownCustomerView,
  presentCustomer,
  presentKnownCustomer,
} from './present.ts';
export { CustomerInput, saveCustomers } from './save-customers.ts';
