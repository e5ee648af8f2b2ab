export { changeReturnEmail } from './change-return-email.ts';
export { approveReturn, closeReturn, receiveReturn, refundReturn, rejectReturn } from './decide-return.ts';
export { returnPersonalData } from './personal-data.ts';
export { presentReturn, ReturnView } from './present.ts';
export { listReturns, readReturns } from './read-returns.ts';
export { OwnReturnInput, ReturnInput, requestReturn } from './request-return.ts';
export { Return, returnStatuses } from './return.ts';
