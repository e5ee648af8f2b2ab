export {
  type Customer,
  CustomerView,
  checkoutSubjectOf,
  customerIdOf,
  customersNamed,
  ErasedCustomerView,
  findCustomer,
  findCustomerByEmail,
  KnownCustomerView,
  linkPaymentCustomer,
  listCustomers,
  paymentCustomerIdOf,
  presentCustomer,
  presentKnownCustomer,
  unlinkPaymentCustomer,
  upsertCustomer,
} from './customers.ts';
export { customerPersonalData } from './personal-data.ts';
export { CustomerInput, saveCustomers } from './save-customers.ts';
