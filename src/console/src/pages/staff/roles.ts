/** What a member may do with each role, in words: what they change, and what they see besides. */
export const roles = {
  owner: 'Changes everything',
  manager: 'Changes everything but staff, API keys and credentials',
  fulfilment: 'Changes labels and returns; sees orders and products',
  support: 'Changes orders, refunds, returns and customers; sees labels, products and promotions',
  analyst: 'Sees products, promotions and analytics',
};
