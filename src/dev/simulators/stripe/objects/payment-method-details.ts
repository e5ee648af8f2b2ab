/** The card that works ends in 4242, the one that is declined in 0002. */
export function cardDetails(amount: number, declined: boolean): object {
  return {
    type: 'card',
    card: {
      amount_authorized: declined ? null : amount,
      authorization_code: declined ? null : '123456',
      brand: 'visa',
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      electronic_commerce_indicator: null,
      exp_month: 12,
      exp_year: 2034,
      fingerprint: 'simulated',
      funding: 'credit',
      installments: null,
      last4: declined ? '0002' : '4242',
      mandate: null,
      network: 'visa',
      network_token: { used: false },
      network_transaction_id: null,
      regulated_status: 'unregulated',
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
  };
}

/** A debit that takes days. */
export function bankDetails(): object {
  return {
    type: 'us_bank_account',
    us_bank_account: {
      account_holder_type: 'individual',
      account_type: 'checking',
      bank_name: 'SIMULATED BANK',
      fingerprint: 'simulated',
      last4: '6789',
      payment_reference: null,
      routing_number: '110000000',
    },
  };
}
